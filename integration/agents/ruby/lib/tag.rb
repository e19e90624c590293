# frozen_string_literal: true

module RetrialAgent
  # The tag of a request: lines of its head. Empty where nothing is known, or something went wrong.
  module Tag
    SITE = 'x-retrial-site'
    NET_HTTP = %r{/net/(?:http|protocol)(?:\.rb|/)}

    MOST_KNOWN = 4096

    @known = {} # [text, also] -> encoded
    @hashes = {}

    module_function

    def lines
      Events.guarded('tag') do
        Events.announce
        origin = Site.here
        chain = origin.chain
        id, phase = Current.test
        named = { SITE => chain.first&.text, 'x-retrial-call' => Call.id, 'x-retrial-test' => id, 'x-retrial-phase' => phase }
        out = named.compact.map { |name, value| "#{name}: #{encode(value)}\r\n" }
        callers = Site.callers(chain)
        library = library(origin.entered) unless chain.empty?
        out << "x-retrial-statement: #{hash_of(origin.statement.text)}\r\n" if id && origin.statement
        out << "x-retrial-callers: #{callers}\r\n" if callers
        out << "x-retrial-libraries: #{library}\r\n" if library
        out.join.b
      end || ''.b
    end

    # The library that was entered, where the call is one run of it.
    def library(entered)
      return unless entered && Call.number && Frames.standard?(entered) && entered.match?(NET_HTTP)

      "#{Call.number}:#{encode("Ruby #{RUBY_VERSION} net/http", ',')}"
    end

    # ASCII; anything else, and `%`, space and the characters of `also`, percent-encoded as UTF-8.
    def encode(text, also = '')
      key = [text, also]
      @known.clear if @known.size > MOST_KNOWN
      @known[key] ||= encoded(text, also)
    end

    # FNV-1a, 64 bits.
    def hash_of(text)
      @hashes[text] ||= text.each_byte.reduce(0xcbf29ce484222325) { |hash, byte| ((hash ^ byte) * 0x100000001b3) & 0xffffffffffffffff }.to_s(16)
    end

    def encoded(text, also)
      text.b.gsub(/[^\x21-\x24\x26-\x7e]/n) { |c| format('%%%02X', c.ord) }.then do |plain|
        also.empty? ? plain : plain.gsub(also) { |c| format('%%%02X', c.ord) }
      end
    end
  end
end
