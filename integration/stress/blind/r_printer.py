"""Right: takes jobs from the front of a deque and turns the list of finished ones round at the end (linear)."""
import http.client
import json
from collections import deque
from urllib.parse import urlsplit

import service

JOBS = [{"id": 70 + i, "name": f"document-{i}.pdf", "pages": 1 + i * 5 % 7} for i in range(20)]
AT_ONCE = 3   # pages printed before the next job has its turn


def read_jobs(base):
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=10)
    try:
        connection.request("GET", "/jobs", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        data = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"the print server answered {answer.status}")
        return json.loads(data)["jobs"]
    finally:
        connection.close()


def run(jobs):
    """Gives the jobs their turns; returns the names of the finished ones, latest first."""
    queue = deque((job["name"], job["pages"]) for job in jobs)
    finished = []
    while queue:
        name, left = queue.popleft()
        left -= AT_ONCE
        if left > 0:
            queue.append((name, left))
        else:
            finished.append(name)
    finished.reverse()
    return finished


def main():
    base = service.serve({"/jobs": lambda request: {"printer": "floor-2", "jobs": JOBS}})
    try:
        jobs = read_jobs(base)
    except (RuntimeError, OSError) as error:
        print(error)
        return
    finished = run(jobs)
    print(len(finished), "jobs printed, the latest is", finished[0] if finished else "none")


if __name__ == "__main__":
    main()
