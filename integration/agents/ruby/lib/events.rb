# frozen_string_literal: true

module RetrialAgent
  # One JSON object a line, appended to $RETRIAL_EVENTS by one write.
  module Events
    FILE = ENV['RETRIAL_EVENTS'].dup.freeze
    FLAGS = File::WRONLY | File::APPEND | File::CREAT
    # Bound here: a test may replace them.
    OPEN = IO.method(:sysopen)
    FOR = IO.method(:for_fd)
    CLOCK = Process.method(:clock_gettime)

    @announced = {}
    @failed = {}

    module_function

    # Returns when the line is in the file. An error is swallowed: nobody could hear it.
    def write(event)
      file = FOR.call(OPEN.call(FILE, FLAGS, 0o644), 'w')
      file.syswrite("#{Json.of(event.merge(pid: Process.pid))}\n")
    rescue StandardError
      nil
    ensure
      file&.close
    end

    # Once a process and runner: at a runner's start, or at the first request.
    def announce(runner = nil)
      key = Process.pid
      return if @announced.key?(key) && (runner.nil? || @announced[key] == runner)

      at_exit { RetrialAgent::Events.uncaught } if @announced.empty?
      @announced[key] = runner
      event = { ev: 'agent', language: 'ruby', version: RUBY_VERSION }
      write(runner ? event.merge(runner: runner) : event)
    end

    # At the end of a process that sent requests: what ended it.
    def uncaught
      ended = $! # rubocop:disable Style/SpecialGlobalVars
      return if ended.nil? || ended.is_a?(SystemExit) || ended.is_a?(SignalException) || !@announced.key?(Process.pid)

      write(ev: 'uncaught', chain: Chain.of(ended))
    end

    # A part of the agent could not be installed, or failed: said once.
    def failed(part, error)
      return if @failed[part]

      @failed[part] = true
      write(ev: 'agent', language: 'ruby', version: RUBY_VERSION, error: "#{part}: #{error.class}: #{error.message[0, 1000]}")
    end

    # Whatever goes wrong is ours alone.
    def guarded(part)
      yield
    rescue StandardError => e
      failed(part, e)
      nil
    end

    def now
      (CLOCK.call(Process::CLOCK_MONOTONIC) * 1000).round(1)
    end
  end
end
