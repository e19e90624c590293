# frozen_string_literal: true

module RetrialAgent
  # Changes a class when its own code has been read: what comes as a gem is loaded by the program alone.
  module Hooks
    WANTED = {
      'Net::HTTP' => ->(http) { http.prepend(Call::Counted) },
      'OpenSSL::SSL::SSLSocket' => ->(socket) { socket.prepend(Wire::Tls) }
    } # rubocop:disable Style/MutableConstant

    NAME = Module.instance_method(:name)
    READ = TracePoint.new(:end) do |point|
      name = NAME.bind_call(point.self)
      hook = name && WANTED.delete(name)
      Events.guarded(name) { hook.call(point.self) } if hook
      READ.disable if WANTED.empty?
    end

    def self.add(name, &hook)
      WANTED[name] = hook
    end

    def self.install
      Dir["#{FOLDER}/runners/*.rb"].sort.each { |file| require file }
      require 'socket.so'
      BasicSocket.prepend(Wire::Plain)
      Thread.singleton_class.prepend(Carry)
      READ.enable
    end
  end

  Events.guarded('start') { Hooks.install }
end
