# frozen_string_literal: true

module RetrialAgent
  # Where a request comes from: the application's frames from it outwards to the test.
  module Site
    FRAMES = 8
    BYTES = 1024 # of callers, as they are sent
    KEY = :retrial_origin # of a thread: that of who made it

    # `entered`: the file of the library's function that the innermost frame called; `statement`: of the test.
    Origin = Struct.new(:chain, :entered, :statement)

    Frame = Struct.new(:path, :line, :function) do
      def text
        "#{Frames.relative(path)}:#{line}:#{function}"
      end

      def test?
        Frames.test?(path)
      end

      def loops?
        !test? && Loops.include?(path, line)
      end

      def same?(other)
        path == other.path && function == other.function
      end
    end

    module_function

    # The chain is [], the others nil where there is none.
    def here
      origin = Origin.new([])
      ended = false
      in_test = Current.test.first
      each_frame do |path, location|
        case Frames.kind(path)
        when :library
          origin.entered = path if origin.chain.empty?
          break if origin.statement && Frames.runner?(path)
        when :application
          frame = Frame.new(path, location.lineno, Frames.function(location))
          ended ||= add(origin.chain, frame)
          origin.statement = frame if in_test && frame.test?
          break if ended && !in_test
        end
      end
      carry_on(origin)
      origin
    end

    # As the header has them. Behind the innermost that calls from within a loop stands an empty one: it may be the one that goes on.
    def callers(chain)
      goes_on = chain.find(&:loops?)
      out = []
      chain.each_with_index do |frame, at|
        out << Tag.encode(frame.text, ',') if at.positive?
        break if out.sum(&:size) + out.size > BYTES

        out << '' if frame.equal?(goes_on)
      end
      return if out.empty?

      out == [''] ? ',' : out.join(',')
    end

    # A method of the interpreter's own has the place of the one that called it.
    def each_frame
      all = caller_locations(2) || []
      all.each_with_index do |location, at|
        path = location.absolute_path || location.path
        outer = all[at + 1]
        next if path.nil? || (outer && outer.lineno == location.lineno && (outer.absolute_path || outer.path) == path)

        yield path, location
      end
    end

    # True where the chain ends: at a test, or when it is long enough. A function stands once.
    def add(chain, frame)
      return true if frame.test? && !chain.empty?

      chain << frame unless chain.any? { |known| known.same?(frame) }
      frame.test? || chain.size == FRAMES
    end

    def carry_on(origin)
      before = Thread.current.thread_variable_get(KEY)
      return unless before

      before.chain.each { |frame| break if add(origin.chain, frame) } unless origin.chain.any?(&:test?)
      origin.statement ||= before.statement
    end
  end
end
