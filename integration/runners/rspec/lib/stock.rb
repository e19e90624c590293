require 'net/http'

module Stock
  module_function

  # Wrong: it asks again at once, and for ever.
  def watch(shop)
    get("#{shop}/watched")
  rescue StandardError
    retry
  end

  # Right: it waits longer each time, and gives up.
  def count(shop)
    (0..2).each do |attempt|
      return get("#{shop}/counted")
    rescue StandardError
      raise if attempt == 2
      sleep 2**attempt * (0.5 + rand)
    end
  end

  def get(url)
    uri = URI(url)
    http = Net::HTTP.new(uri.host, uri.port)
    http.open_timeout = http.read_timeout = 10
    http.max_retries = 0
    answer = http.start { http.get(uri.path) }
    raise "the shop answered #{answer.code}" unless answer.is_a?(Net::HTTPSuccess)
    answer.body
  end
end
