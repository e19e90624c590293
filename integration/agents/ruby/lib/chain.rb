# frozen_string_literal: true

module RetrialAgent
  # A failure as the contract's chain: every exception, outermost first, and how each hangs on the one before.
  module Chain
    MOST = 16
    MOST_CHARACTERS = 4000
    ASSERTING = /\A(?:RSpec::(?:Expectations|Mocks)::|Minitest::Assertion|Test::Unit::AssertionFailedError)/

    module_function

    def of(error)
      out = []
      add(error, 'raised', out, {}.compare_by_identity)
      out
    end

    def add(error, link, out, seen)
      while error && !seen[error] && out.size < MOST
        seen[error] = true
        out << entry(error, link)
        members = error.respond_to?(:all_exceptions) ? error.all_exceptions : []
        members.each { |member| add(member, 'member', out, seen) }
        error = error.cause
        link = 'cause'
      end
    end

    def entry(error, link)
      asserts = error.class.name.to_s.match?(ASSERTING)
      out = { type: error.class.name.to_s, msg: message(error) }
      out[:code] = error.code.to_s if !error.is_a?(SystemCallError) && error.respond_to?(:code) && error.method(:code).arity.zero?
      out[:code] = error.class.name.delete_prefix('Errno::') if error.is_a?(SystemCallError) && error.class.name.start_with?('Errno::')
      out[:link] = link
      place = place_of(error, asserts)
      out.update(file: Frames.relative(path(place)), line: place.lineno, function: Frames.function(place)) if place
      out.merge(in_test: asserts || (!place.nil? && Frames.test?(path(place))))
    end

    # What asserts, fails for who called it.
    def place_of(error, asserts)
      places = (error.backtrace_locations || []).reject { |place| Frames.kind(path(place)) == :ours || path(place).start_with?('<') }
      asserts ? places.find { |place| Frames.kind(path(place)) == :application } || places.first : places.first
    end

    def path(place)
      place.absolute_path || place.path
    end

    def message(error)
      error.message.to_s[0, MOST_CHARACTERS]
    rescue StandardError
      '<unprintable>'
    end
  end
end
