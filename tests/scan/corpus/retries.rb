# Right and wrong retry code. `# retry: BOUND WAIT` stands where a location begins; everything else is none.
require "net/http"

def right(uri)
  attempts = 0
  begin
    Net::HTTP.get(uri)
  rescue IOError, Timeout::Error
    attempts += 1
    raise if attempts >= 5
    sleep(0.1 * 2**attempts)
    retry # retry: count growing
  end
end

def for_ever(uri)
  Net::HTTP.get(uri)
rescue StandardError
  sleep 1
  retry # retry: none fixed
end

def by_modifier(uri)
  tries ||= 0
  Net::HTTP.get(uri)
rescue Errno::ECONNREFUSED
  retry if (tries += 1) < 3 # retry: count none
  raise
end

def once_more(uri)
  renewed = false
  begin
    Net::HTTP.get(uri)
  rescue EOFError
    raise if renewed
    renewed = true
    retry # retry: count none
  end
end

def looped(client, path)
  while true # retry: none fixed
    begin
      return client.fetch(path)
    rescue IOError
      sleep 5
    end
  end
end

def looped_without_end(client, path)
  loop do # retry: none growing
    begin
      return client.fetch(path)
    rescue IOError
      delay = (delay || 1) * 2
      sleep delay
    end
  end
end

def several_times(client, path)
  3.times do # retry: count fixed
    begin
      return client.fetch(path)
    rescue IOError
      sleep 1
    end
  end
  raise "no #{path}"
end

# None of these tries the same again.

def told(uri)
  Net::HTTP.get(uri)
rescue IOError => error
  warn error.message
  nil
end

def each_of(uris)
  uris.each do |uri|
    begin
      Net::HTTP.get(uri)
    rescue IOError
      next
    end
  end
end

def polled(job)
  until job.done?
    sleep 1
    job.refresh
  end
end
