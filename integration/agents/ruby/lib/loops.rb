# frozen_string_literal: true

module RetrialAgent
  # Which lines of a file stand in a loop of their function: what `while`, `until` and `for` repeat, what `retry` repeats, and blocks
  # of methods that call them again and again.
  module Loops
    WORDS = %i[WHILE UNTIL FOR].freeze
    METHODS = %i[loop times upto downto step each each_with_index each_entry each_with_object map flat_map find any? all?].freeze
    FUNCTIONS = %i[DEFN DEFS].freeze

    @files = {}
    @known = {}

    class << self
      def include?(path, line)
        key = [path, line]
        @known.fetch(key) { @known[key] = of_loop?(path, line) }
      end

      private

      def of_loop?(path, line)
        functions, loops = @files[path] ||= read(path)
        function = functions.select { |range| range.cover?(line) }.max_by(&:begin)
        loops.any? { |range| range.cover?(line) && (function.nil? || (function.cover?(range.begin) && function.cover?(range.end))) }
      end

      def read(path)
        found = [[], []]
        walk(RubyVM::AbstractSyntaxTree.parse_file(path), *found)
        found
      rescue StandardError, SyntaxError, NotImplementedError # another Ruby, or no file
        [[], []]
      end

      def walk(node, functions, loops)
        return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)

        functions << lines(node) if FUNCTIONS.include?(node.type)
        loops << lines(node) if loop?(node)
        node.children.each { |child| walk(child, functions, loops) }
      end

      def lines(node)
        node.first_lineno..node.last_lineno
      end

      def loop?(node)
        return true if WORDS.include?(node.type)
        return retries?(node.children[1]) if node.type == :RESCUE

        node.type == :ITER && METHODS.include?(method_of(node.children.first))
      end

      def method_of(call)
        call.children.find { |child| child.is_a?(Symbol) } if call.is_a?(RubyVM::AbstractSyntaxTree::Node)
      end

      def retries?(node)
        return false if !node.is_a?(RubyVM::AbstractSyntaxTree::Node) || FUNCTIONS.include?(node.type)

        node.type == :RETRY || node.children.any? { |child| retries?(child) }
      end
    end
  end
end
