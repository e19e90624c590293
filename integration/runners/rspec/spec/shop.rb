require 'socket'

# Answers every request: 201 to what is posted, else 200 and "12".
class Shop
  attr_reader :url

  def initialize
    @server = TCPServer.new('127.0.0.1', 0)
    @url = "http://127.0.0.1:#{@server.addr[1]}"
    @thread = Thread.new { loop { Thread.new(@server.accept) { |client| answer(client) } } }
  end

  def close
    @thread.kill
    @server.close
  end

  private

  def answer(client)
    while (first = client.gets)
      length = 0
      while (line = client.gets.strip) != ''
        length = line[/\Acontent-length: (\d+)/i, 1].to_i if line =~ /\Acontent-length:/i
      end
      client.read(length)
      client.write("HTTP/1.1 #{first.start_with?('POST') ? '201 Created' : '200 OK'}\r\nContent-Length: 2\r\n\r\n12")
    end
  rescue SystemCallError
    nil # the client has gone
  ensure
    client.close
  end
end
