# frozen_string_literal: true

module RetrialAgent
  # JSON of hashes, lists, texts, numbers and truth: the library of that name is a gem, whose version is the program's to choose.
  module Json
    ESCAPES = { '"' => '\\"', '\\' => '\\\\' }.freeze

    module_function

    def of(value)
      case value
      when Hash then "{#{value.map { |name, one| "#{string(name.to_s)}:#{of(one)}" }.join(',')}}"
      when Array then "[#{value.map { |one| of(one) }.join(',')}]"
      when Integer, Float, true, false then value.to_s
      when nil then 'null'
      else string(value.to_s)
      end
    end

    def string(text)
      "\"#{utf8(text).gsub(/["\\\x00-\x1f\u2028\u2029]/) { |c| ESCAPES[c] || format('\\u%04x', c.ord) }}\""
    end

    def utf8(text)
      return text.scrub('?') if text.encoding == Encoding::UTF_8
      return text.dup.force_encoding(Encoding::UTF_8).scrub('?') if text.encoding == Encoding::BINARY

      text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace, replace: '?')
    end
  end
end
