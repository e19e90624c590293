/** Originals, renditions and their manifest: one blob container for each customer. */
export class Gallery {
  #container;

  constructor(service, name) {
    this.#container = service.getContainerClient(name);
  }

  /** For a new customer. The name must be free. */
  async open() {
    await this.#container.create({ metadata: { layout: '2' } });
  }

  /** At worker start: the container may be there already. */
  async ensure() {
    await this.#container.createIfNotExists();
  }

  async putOriginal(image, bytes) {
    const blob = this.#container.getBlockBlobClient(`originals/${image}`);
    // An original is never overwritten.
    const response = await blob.upload(bytes, bytes.length, {
      conditions: { ifNoneMatch: '*' },
      blobHTTPHeaders: { blobContentType: 'image/x-portable-graymap' },
    });
    return response.etag;
  }

  async getOriginal(image) {
    return this.#container.getBlockBlobClient(`originals/${image}`).downloadToBuffer();
  }

  async putRendition(image, size, bytes) {
    const blob = this.#container.getBlockBlobClient(`renditions/${size}/${image}`);
    await blob.upload(bytes, bytes.length, {
      blobHTTPHeaders: { blobContentType: 'image/x-portable-graymap' },
    });
    return blob.name;
  }

  async listRenditions(size) {
    const names = [];
    for await (const blob of this.#container.listBlobsFlat({ prefix: `renditions/${size}/` })) {
      names.push(blob.name);
    }
    return names;
  }

  async hasRendition(image, size) {
    return this.#container.getBlockBlobClient(`renditions/${size}/${image}`).exists();
  }

  async removeRenditions(image, sizes) {
    for (const size of sizes) {
      await this.#container.getBlockBlobClient(`renditions/${size}/${image}`).deleteIfExists();
    }
  }

  /** The manifest and its version, to be handed to writeManifest. */
  async readManifest() {
    const blob = this.#container.getBlockBlobClient('manifest.json');
    const response = await blob.download();
    const chunks = [];
    for await (const chunk of response.readableStreamBody) chunks.push(chunk);
    return { entries: JSON.parse(Buffer.concat(chunks).toString('utf8')), etag: response.etag };
  }

  /** Fails if somebody else wrote the manifest since `etag` was read. */
  async writeManifest(entries, etag, lease) {
    const blob = this.#container.getBlockBlobClient('manifest.json');
    const text = JSON.stringify(entries);
    const response = await blob.upload(text, Buffer.byteLength(text), {
      conditions: { ifMatch: etag, leaseId: lease?.leaseId },
      blobHTTPHeaders: { blobContentType: 'application/json' },
    });
    return response.etag;
  }

  /** One worker makes the report of a day. False if another one has taken it. */
  async claimReport(day) {
    const marker = this.#container.getBlockBlobClient(`reports/${day}.claim`);
    try {
      await marker.upload('', 0, { conditions: { ifNoneMatch: '*' } });
      return true;
    } catch (error) {
      if (error.code === 'BlobAlreadyExists') return false;
      throw error;
    }
  }

  async putReport(day, report) {
    const text = JSON.stringify(report);
    await this.#container
      .getBlockBlobClient(`reports/${day}.json`)
      .upload(text, Buffer.byteLength(text), {
        blobHTTPHeaders: { blobContentType: 'application/json' },
      });
  }

  async lockManifest(seconds = 15) {
    const lease = this.#container.getBlobClient('manifest.json').getBlobLeaseClient();
    await lease.acquireLease(seconds);
    return lease;
  }

  async unlockManifest(lease) {
    await lease.releaseLease();
  }
}
