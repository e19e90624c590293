require 'net/http'

class Orders
  def initialize(shop)
    @shop = URI(shop)
  end

  # Wrong: what may have been paid is paid once more.
  def pay(order)
    attempts = 0
    begin
      post('/payments', order)
    rescue StandardError
      attempts += 1
      raise if attempts == 3
      sleep 2**(attempts - 1)
      retry
    end
  end

  # Right: a key tells the shop that it is the same order.
  def place(order)
    3.times do |attempt|
      return post('/orders', order, 'Idempotency-Key' => "order-#{order}")
    rescue StandardError
      raise if attempt == 2
      sleep 2**attempt
    end
  end

  private

  def post(path, body, headers = {})
    Net::HTTP.start(@shop.host, @shop.port, open_timeout: 10, read_timeout: 10) do |http|
      answer = http.post(path, body, headers)
      raise "the shop answered #{answer.code}" unless answer.is_a?(Net::HTTPSuccess)
    end
  end
end
