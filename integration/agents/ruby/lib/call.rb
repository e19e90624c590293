# frozen_string_literal: true

module RetrialAgent
  # Call ids: one request of Net::HTTP, with all that it sends for it.
  module Call
    KEY = :retrial_call # of a fiber
    @number = 0
    @lock = Thread::Mutex.new

    class << self
      def run
        before = Thread.current[KEY]
        Thread.current[KEY] = @lock.synchronize { @number += 1 }
        yield
      ensure
        Thread.current[KEY] = before
      end

      def number
        Thread.current[KEY]
      end

      def id
        number && "#{Process.pid}-#{number}"
      end
    end

    # Of Net::HTTP.
    module Counted
      private

      def transport_request(*args, &block)
        Call.run { super(*args, &block) }
      end
    end
  end
end
