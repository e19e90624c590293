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

def set_back(connection)
  tries = 0
  begin
    connection.post("/")
  rescue IOError => error
    tries = 0
    if (tries += 1) < 5
      sleep 1
      retry # retry: none fixed
    end
    raise error
  end
end

def in_a_block(client)
  (1..3).each do |turn| # retry: count growing
    return client.get("/")
  rescue IOError
    raise if turn == 3
    sleep(2**turn)
  end
end

def until_it_is_well(client)
  until (answer = client.get("/")).success? # retry: none fixed
    sleep 1
  end
  answer
end

def with_retries(most)
  n = 0
  begin
    yield
  rescue IOError
    n += 1
    raise if n > most
    sleep(rand)
    retry # retry: count jitter
  end
end

def wrapped(client)
  with_retries(5) { client.stats } # retry: count elsewhere
end

def libraries(connection)
  Retriable.retriable(tries: 5) { connection.get("/") } # retry: count jitter
  Retriable.retriable { connection.get("/") } # retry: count jitter
end

def given_back(redis)
  raw = redis.lpop("waiting")
  begin
    work(raw)
  rescue StandardError
    redis.rpush("waiting", raw) # retry: none none
  end
end

class Mails
  sidekiq_options retry: 5 # retry: count jitter
  retry_on Timeout::Error, wait: 5.seconds, attempts: :unlimited # retry: none fixed
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

def asked_of_a_person
  begin
    Integer($stdin.gets)
  rescue ArgumentError
    puts "a number, please"
    retry
  end
end

def not_ready(socket)
  socket.read_nonblock(10)
rescue IO::WaitReadable
  retry
end

def not_ready_in_time(socket, seconds)
  socket.read_nonblock(10)
rescue *NOT_READY
  if IO.select([socket], nil, nil, seconds)
    retry
  else
    raise Timeout::Error
  end
end

def waits_first(transport)
  sleep @interval
  transport.connect
rescue SystemCallError
  retry # retry: none fixed
end

def given_once_more
  yield
rescue SocketError
  yield # retry: count none
end

def one_of_two(concern, client)
  chosen = concern || Concern.get(DEFAULT)
  chosen.last_error.nil? ? Concern.get(DEFAULT).last_error : chosen.last_error
end
