# frozen_string_literal: true

module RetrialAgent
  # Work that the application hands to a thread comes from where it was handed over. What makes threads for others (a pool in a library) hands
  # over nothing.
  module Carry
    def start(*args, &block)
      super(*args, &Carry.carrying(block))
    end
    alias fork start

    def new(*args, &block)
      super(*args, &Carry.carrying(block))
    end

    def self.carrying(block)
      origin = Events.guarded('carry') do
        here = Site.here
        here.chain.clear if here.chain.first&.test? # it ends there
        here if here.entered.nil? && (here.statement || !here.chain.empty?)
      end
      return block unless origin && block

      lambda = block.lambda?
      Events.guarded('carry') do
        carried = proc do |*args|
          Thread.current.thread_variable_set(Site::KEY, origin)
          lambda ? block.call(*args) : block.yield(*args)
        end
        carried.ruby2_keywords if carried.respond_to?(:ruby2_keywords)
        carried
      end || block
    end
  end
end
