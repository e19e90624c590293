require 'orders'
require 'stock'
require_relative 'shop'

RSpec.describe 'the shop' do
  before(:context) { @shop = Shop.new }
  after(:context) { @shop.close }

  describe Orders do
    subject(:orders) { described_class.new(@shop.url) }

    it('are paid') { orders.pay('7') }

    ['one of two', 'odd (na)me [x] > $1.*'].each do |order|
      it("#{order} is placed") { orders.place(order) }
    end
  end

  describe Stock do
    it('is watched') { expect(described_class.watch(@shop.url)).to eq '12' }

    specify { expect(described_class.count(@shop.url)).to eq '12' }
  end
end
