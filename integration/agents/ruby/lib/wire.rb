# frozen_string_literal: true

module RetrialAgent
  # Where bytes leave: the tag stands behind the first line of a head, below every mock, and out of sight of the program's objects. What
  # is told to who writes is what it would have been without it.
  module Wire
    FIRST_LINE = %r{\A(?!CONNECT )[A-Z]+ [^ \r\n]+ HTTP/1\.[01]\r\n}n
    TAGGED = /^#{Tag::SITE}:/i

    module_function

    # [what is written in place of `bytes`, size of their first line, size of the tag]; nil: they stay as they are.
    def tagged(socket, bytes)
      return unless bytes.is_a?(String) && bytes.getbyte(0)&.between?(65, 90)

      Events.guarded('wire') do
        data = bytes.b
        first = data[FIRST_LINE]
        next if first.nil? || data.partition("\r\n\r\n").first.match?(TAGGED) || !Peer.ours?(socket)

        tag = Tag.lines
        [first + tag + data[first.bytesize..], first.bytesize, tag.bytesize] unless tag.empty?
      end
    end

    # How much of the program's bytes was written. The tag goes whole.
    def written(socket, count, bytes, first, tag)
      return count unless count.is_a?(Integer)

      socket.write(bytes.byteslice(count, first + tag - count)) if count < first + tag
      [count - tag, first].max
    end

    # Of a BasicSocket.
    module Plain
      def write(*texts)
        bytes, _, tag = Wire.tagged(self, texts.first)
        bytes ? super(bytes, *texts.drop(1)) - tag : super
      end

      def syswrite(text)
        bytes, *sizes = Wire.tagged(self, text)
        bytes ? Wire.written(self, super(bytes), bytes, *sizes) : super
      end

      def write_nonblock(text, exception: true)
        bytes, *sizes = Wire.tagged(self, text)
        bytes ? Wire.written(self, super(bytes, exception: exception), bytes, *sizes) : super
      end

      def send(text, flags = 0, *to)
        bytes, *sizes = to.empty? ? Wire.tagged(self, text) : nil
        bytes ? Wire.written(self, super(bytes, flags), bytes, *sizes) : super
      end
    end

    # Of an OpenSSL::SSL::SSLSocket.
    module Tls
      def syswrite(text)
        bytes, *sizes = Wire.tagged(self, text)
        bytes ? Wire.written(self, super(bytes), bytes, *sizes) : super
      end

      def syswrite_nonblock(text, *args, **options)
        bytes, *sizes = Wire.tagged(self, text)
        bytes ? Wire.written(self, super(bytes, *args, **options), bytes, *sizes) : super
      end
    end
  end
end
