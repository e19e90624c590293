# Right and wrong retry code. `# retry: BOUND WAIT` stands where a location begins; everything else is none.
import asyncio
import itertools
import random
import time

import requests
import tenacity


def right(url):
    for attempt in range(5):  # retry: count jitter
        try:
            return requests.get(url, timeout=3)
        except requests.ConnectionError:
            if attempt == 4:
                raise
            time.sleep(min(30, 2**attempt) * random.random())


def for_ever(url):
    while True:  # retry: none fixed
        try:
            return requests.get(url, timeout=3)
        except Exception:
            time.sleep(1)


def tight(url):
    while True:  # retry: none none
        if requests.get(url).status_code < 500:
            break


def until_a_time(url, limit):
    deadline = time.monotonic() + limit
    delay = 0.1
    while time.monotonic() < deadline:  # retry: time growing
        try:
            return requests.get(url)
        except OSError:
            time.sleep(delay)
            delay *= 2
    raise TimeoutError(url)


def listed(url):
    for pause in (1, 5, 30):  # retry: count growing
        try:
            return requests.get(url)
        except OSError:
            time.sleep(pause)
    return None


def told(url):
    for _ in range(3):  # retry: count told
        answer = requests.get(url)
        if answer.status_code in (429, 503):
            time.sleep(int(answer.headers["Retry-After"]))
            continue
        return answer


def by_flag(send):
    done = False
    tries = 0
    while not done and tries < 3:  # retry: count none
        tries += 1
        try:
            send()
            done = True
        except ValueError:
            pass


def again(url, left=3):
    try:
        return requests.get(url)
    except OSError:
        if left == 0:
            raise
        return again(url, left - 1)  # retry: count none


def once_more(session, url):
    try:
        return session.fetch(url)
    except ConnectionError:
        session.renew()
        return session.fetch(url)  # retry: count none


def counted_without_end(call):
    for n in itertools.count():  # retry: count growing
        try:
            return call()
        except OSError:
            if n >= 9:
                raise
            time.sleep(0.1 * n)


class Worker:
    def run(self, jobs):
        job = jobs.pop()
        try:
            job.send()
        except OSError:
            jobs.put(job)  # retry: none none

    async def connect(self):
        while True:  # retry: none fixed
            try:
                await self.open()
                return
            except OSError:
                await asyncio.sleep(5)


@tenacity.retry(stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_exponential())  # retry: count growing
def decorated(url):
    return requests.get(url)


def with_a_client():
    return requests.adapters.HTTPAdapter(max_retries=3)  # retry: count none


def set_back(session, url):
    attempts = 0
    while True:  # retry: none fixed
        try:
            return session.post(url)
        except OSError:
            attempts = 0
            attempts += 1
            if attempts > 4:
                raise
            time.sleep(1)


def without_words(session, url):
    answer = None
    while answer is None:  # retry: none none
        try:
            answer = session.get(url)
        except OSError as error:
            print(error)
    return answer


def handed_over(call, deadline, helper):
    while True:  # retry: elsewhere growing
        try:
            return call()
        except Exception as exc:
            pause = helper(exc, deadline) * 2**3
            time.sleep(pause)


def asked_of_a_strategy(call, strategy):
    while True:  # retry: elsewhere elsewhere
        try:
            return call()
        except OSError:
            pause = strategy.next_retry()
            if pause is None:
                raise
            time.sleep(pause.next())


@app.task(autoretry_for=(OSError,), max_retries=None, retry_backoff=True)  # retry: none jitter
def indexed(shard):
    requests.put(shard)


@app.task(bind=True, max_retries=3)
def mailed(self, to):
    try:
        requests.post(to)
    except requests.HTTPError as exc:
        raise self.retry(exc=exc, countdown=30)  # retry: count fixed

def the_same_once_more(session, message):
    try:
        session.get(message)
    except ConnectionError:
        session.renew()
        session.get(message)  # retry: count none

def with_a_new_token(session, url):
    answer = session.get(url)
    if answer.status_code == 401:
        session.login()
        answer = session.get(url)  # retry: count none
    return answer

# None of these tries the same again.


def each_of_several(urls):
    for url in urls:
        try:
            return requests.get(url)
        except OSError:
            continue


def all_of_several(urls):
    found = []
    for url in urls:
        try:
            found.append(requests.get(url))
        except OSError as error:
            print(error)
    return found


def lines(path):
    with open(path) as file:
        while True:
            line = file.readline()
            if not line:
                break
            try:
                print(int(line))
            except ValueError:
                continue


def polled(job):
    while job.state != "done":
        time.sleep(1)
        job.refresh()


def walk(node):
    for child in node.children:
        if child.error:
            continue
        walk(child)


def passed_on(client, max_retries):
    return client.get("/", max_retries=max_retries)


def switched_off(client):
    return client.get("/", retries=0)


def parse(text):
    while text:
        try:
            return float(text)
        except ValueError:
            text = text[:-1]


def receive_whole(connection, buffer, length):
    done = 0
    while done < length:
        try:
            done += connection.recv_into(buffer[done:])
        except ssl.SSLWantReadError:
            wait_readable(connection)


def send_whole(connection, data, length):
    total_sent = 0
    while total_sent < length:
        try:
            total_sent += connection.send(data[total_sent:])
        except OSError as error:
            if error.errno != errno.EAGAIN:
                raise


def take_free(pool):
    while True:
        try:
            return pool.popleft()
        except IndexError:
            pool.wait(1)


def missing_of(backend, names):
    missing_workflows = []
    for name in names:
        try:
            backend.get_workflow(name)
        except NotFound:
            missing_workflows.append(name)
    return missing_workflows


def add_client_error(self, error):
    self._queue.append(error)


def give_up(task, exc):
    raise Retry(message="later", exc=exc)


PATIENT = dict(
    stop=tenacity.stop_after_attempt(4),
    wait=tenacity.wait_exponential(multiplier=0.2),
)


@tenacity.retry(**PATIENT)  # retry: count growing
def charge(session, amount):
    return session.post("/charges", json={"amount": amount})


class Accounts:
    async def get(self, account):
        response = await self.http.get(f"/accounts/{account}", headers=self.auth())
        if response.status_code == 401:
            await self.login()
            return await self.get(account)  # retry: none none
        return response.json()

    def parent(self, account):
        response = self.http.get(f"/accounts/{account}")
        if response.status_code == 404:
            return self.parent(account.above)
        return response.json()

def free_name(path):
    n = 0
    while True:
        try:
            return open(f"{path}.{n}", "x")
        except FileExistsError:
            n += 1


def asked_of_a_person():
    while True:
        try:
            return int(input("age: "))
        except ValueError:
            print("a number, please")


def all_well(check, probes):
    for attempt in range(probes):
        if not check.healthy(attempt):
            return False
        time.sleep(1)
    return True


def renamed(folder, names):
    while len(names) > 0:
        name = names.pop(0)
        try:
            folder.move(name)
        except OSError:
            continue
        return folder.open(name)


class Switched:
    def __init__(self):
        self.policy = Retry(NoBackoff(), retries=0)


def asked_first(cache, key):
    try:
        return cache.lookup(key)
    except KeyError:
        cache.load(key)
        return cache.lookup(key)


def made_where_it_is_missing(api, name):
    answer = api.get(name)
    if answer.status_code == 404:
        api.create(name)
        answer = api.get(name)
    return answer


def waits_only_for_what_went_well(client, sample):
    while True:  # retry: none none
        try:
            state = client.get(sample).state
        except ConnectionError:
            continue
        if state == "arrived":
            return state
        time.sleep(0.05)


def waits_whatever_came(client, sample):
    while True:  # retry: none fixed
        try:
            state = client.get(sample).state
            if state == "arrived":
                return state
        except ConnectionError:
            log.info("once more")
        time.sleep(0.05)

def once_by_a_flag(renew, call, first=True):
    try:
        return call()
    except Unauthorized:
        if first and renew():
            return once_by_a_flag(renew, call, first=False)  # retry: count none
        raise


def rest_of_a_file(session, url, size):
    attempt = 0
    got = 0
    while attempt < 15 and got < size:  # retry: count none
        attempt += 1
        try:
            with session.download(url, got) as response:
                for block in response.blocks():
                    got += len(block)
        except (ConnectionError, TimeoutError) as error:
            if attempt < 15:
                log(error)
            else:
                raise
