import { thumbnailSizes } from './config.mjs';
import { decodePgm, encodePgm, shrink } from './pgm.mjs';
import { notify } from './webhook.mjs';

/** Takes render jobs from a queue and puts renditions into a gallery. */
export class Worker {
  #jobs;
  #gallery;

  constructor(jobs, gallery) {
    this.#jobs = jobs;
    this.#gallery = gallery;
  }

  async render(job) {
    const original = decodePgm(await this.#gallery.getOriginal(job.image));
    return Promise.all(
      job.sizes.map((size) => {
        const rendition = encodePgm(shrink(original, thumbnailSizes[size]));
        return this.#gallery.putRendition(job.image, size, rendition);
      }),
    );
  }

  /** Works until the queue is empty; answers the jobs done, in order. */
  async drain() {
    const done = [];
    for (let ticket = await this.#jobs.take(); ticket; ticket = await this.#jobs.take()) {
      const { job } = ticket;
      const renditions = await this.render(job);
      if (job.callback) await notify(job.callback, 'rendered', { jobId: job.id, renditions });
      await this.#jobs.finish(ticket);
      done.push(job.id);
    }
    return done;
  }

  /** Adds an image to the gallery's manifest, alone among all workers. */
  async publish(image) {
    const lease = await this.#gallery.lockManifest();
    try {
      const { entries, etag } = await this.#gallery.readManifest();
      await this.#gallery.writeManifest([...entries, image], etag, lease);
    } finally {
      await this.#gallery.unlockManifest(lease);
    }
  }

  /** Counts a day's renditions, unless another worker does. */
  async report(day) {
    if (!(await this.#gallery.claimReport(day))) return false;
    const counts = {};
    for (const size of Object.keys(thumbnailSizes)) {
      counts[size] = (await this.#gallery.listRenditions(size)).length;
    }
    await this.#gallery.putReport(day, { day, counts });
    return true;
  }
}
