"""Wrong: takes jobs from the front of a list with pop(0) and puts finished ones in with insert(0) (quadratic)."""
import http.client
import json
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
    queue = [[job["name"], job["pages"]] for job in jobs]
    finished = []
    while queue:
        job = queue.pop(0)
        job[1] -= AT_ONCE
        if job[1] > 0:
            queue.append(job)
        else:
            finished.insert(0, job[0])
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
