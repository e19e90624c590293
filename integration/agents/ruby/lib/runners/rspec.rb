# frozen_string_literal: true

module RetrialAgent
  # RSpec 3: its examples are chosen, told of as they run, and reported.
  module RSpecHook
    NAME = 'RSpec'
    ONLY = ENV['RETRIAL_ONLY'] && File.readlines(ENV['RETRIAL_ONLY'], chomp: true, encoding: 'UTF-8')
    @phases = {} # of examples that failed: where
    @ids = {}

    class << self
      attr_reader :phases, :latest

      # "spec/shop_spec.rb > orders > are paid". One that has no name of its own bears its number.
      def id(example)
        @ids[example.id] || name_all && @ids.fetch(example.id) { named(example, numbered: true) }
      end

      def chosen?(example)
        ONLY.nil? || ONLY.include?(id(example))
      end

      def start(example, phase)
        @latest = example
        @phase = @at = phase
        Current.start(id(example), phase)
      end

      def end(example)
        Current.end(id(example), @phase) if @phase
        @phase = nil
      end

      # What goes around it, and looks at what it found, is done when its teardown is.
      def torn_down
        @at = 'test'
      end

      def failed(example)
        @phases[example.id] ||= @phase ? @at : 'setup'
      end

      def report(example, outcome)
        phase = outcome == 'failed' ? @phases.fetch(example.id, 'test') : 'test'
        result = example.execution_result
        told(example, phase, outcome == 'failed' && phase != 'test' ? 'error' : outcome, outcome == 'failed' ? result.exception : nil, result.run_time)
      end

      def told(example, phase, outcome, error, seconds)
        Events.write(ev: 'result', id: id(example), phase: phase, outcome: outcome, ms: (seconds.to_f * 1000).round, chain: Chain.of(error))
      end

      private

      def name_all
        all = ::RSpec.world.all_examples
        all.each { |example| Frames.add_test_file(example.id[/\A(.*)\[/m, 1]) }
        all.group_by { |example| named(example) }.each_value do |namesakes|
          namesakes.each { |example| @ids[example.id] = named(example, numbered: namesakes.size > 1 || example.metadata[:description].to_s.empty?) }
        end
      end

      def named(example, numbered: false)
        file, number = example.id.match(/\A(.*)(\[[\d:]+\])\z/m).captures
        groups = example.example_group.parent_groups.reverse.map { |group| group.description.to_s }
        names = [Frames.relative(File.expand_path(file, Frames::START)), *groups, example.metadata[:description].to_s].reject(&:empty?)
        "#{names.join(' > ')}#{" #{number}" if numbered}".gsub(/\s*[\r\n]\s*/, ' ')
      end
    end

    # Of the listeners of RSpec's reporter.
    module Listener
      module_function

      def example_passed(told)
        Events.guarded(NAME) { RSpecHook.report(told.example, 'passed') }
      end

      def example_failed(told)
        Events.guarded(NAME) { RSpecHook.report(told.example, 'failed') }
      end

      def example_pending(told)
        Events.guarded(NAME) { RSpecHook.report(told.example, 'skipped') }
      end
    end

    # Of RSpec::Core::Runner.
    module Runner
      def run_specs(groups)
        Events.guarded(NAME) do
          Events.announce(NAME)
          @configuration.reporter.register_listener(Listener, :example_passed, :example_failed, :example_pending)
          @configuration.force(fail_fast: false) if ONLY # what fails in one, ends no other
        end
        super
      end
    end

    # Of RSpec::Core::FilterManager: what is left out here, its groups do not set up for.
    module Filter
      def prune(examples)
        kept = super
        ONLY ? kept.select { |example| RSpecHook.chosen?(example) } : kept
      end
    end

    # Of RSpec::Core::Example.
    module Example
      def run(*)
        Events.guarded(NAME) { RSpecHook.start(self, 'setup') }
        super
      ensure
        Events.guarded(NAME) { RSpecHook.end(self) }
      end

      def set_exception(*)
        Events.guarded(NAME) { RSpecHook.failed(self) }
        super
      end

      private

      def run_before_example
        super
        Events.guarded(NAME) { RSpecHook.end(self) || RSpecHook.start(self, 'test') }
      end

      def run_after_example
        Events.guarded(NAME) { RSpecHook.end(self) || RSpecHook.start(self, 'teardown') }
        super
      ensure
        RSpecHook.torn_down
      end

      # All is told before the example is reported.
      def finish(*)
        Events.guarded(NAME) { RSpecHook.end(self) }
        super
      end
    end

    # Of the class RSpec::Core::ExampleGroup: what is set up for several. RSpec also asks the class of a single example.
    module Group
      def run_before_context_hooks(*)
        RSpecHook::Group.shared(self, 'before(:context)') { super }
      end

      def run_after_context_hooks(*)
        RSpecHook::Group.shared(self, 'after(:context)') { super }
      end

      def self.shared(group, hook)
        id = Events.guarded(NAME) { "#{group.description} > #{hook}" unless group.singleton_class? }
        Events.guarded(NAME) { Current.start(id, Current::SHARED) } if id
        yield
      ensure
        Events.guarded(NAME) { Current.end(id, Current::SHARED) } if id
      end
    end

    # Of RSpec::Matchers::BuiltIn::RaiseError: what was to be raised, and is, told the example of a failure.
    module Expected
      def matches?(*)
        matched = super
        if matched && @actual_error && RSpecHook.latest
          Events.guarded(NAME) { Events.write(ev: 'expected', id: RSpecHook.id(RSpecHook.latest), chain: Chain.of(@actual_error)) }
        end
        matched
      end
    end

    # Of RSpec::Core::Reporter: what goes wrong outside of examples.
    module Reporter
      def notify_non_example_exception(error, context)
        Events.guarded(NAME) do
          file = context[/while loading (.+?)\.?\s*\z/m, 1]
          if file
            Events.announce(NAME)
            Events.write(ev: 'broken', file: Frames.relative(File.expand_path(file, Frames::START)), msg: "#{error.class}: #{Chain.message(error)}")
          elsif RSpecHook.latest
            RSpecHook.told(RSpecHook.latest, 'teardown', 'error', error, 0)
          end
        end
        super
      end
    end
  end

  Hooks.add('RSpec::Core::Runner') { |runner| runner.prepend(RSpecHook::Runner) }
  Hooks.add('RSpec::Core::FilterManager') { |filter| filter.prepend(RSpecHook::Filter) }
  Hooks.add('RSpec::Core::Example') { |example| example.prepend(RSpecHook::Example) }
  Hooks.add('RSpec::Core::ExampleGroup') { |group| group.singleton_class.prepend(RSpecHook::Group) }
  Hooks.add('RSpec::Matchers::BuiltIn::RaiseError') { |matcher| matcher.prepend(RSpecHook::Expected) }
  Hooks.add('RSpec::Core::Reporter') { |reporter| reporter.prepend(RSpecHook::Reporter) }
end
