import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { blobService } from '../src/clients.mjs';
import { Gallery } from '../src/gallery.mjs';
import { encodePgm } from '../src/pgm.mjs';
import { createContainer, gradient, uniqueName } from '../support/fixtures.mjs';

const image = encodePgm(gradient(32, 24));

describe('a new gallery', () => {
  const service = blobService();
  let name;

  beforeEach(() => {
    name = uniqueName('gallery');
  });

  afterEach(async () => {
    await service.getContainerClient(name).deleteIfExists();
  });

  it('is opened', async () => {
    await new Gallery(service, name).open();
    const { metadata } = await service.getContainerClient(name).getProperties();
    assert.equal(metadata.layout, '2');
  });

  it('can be ensured again and again', async () => {
    const gallery = new Gallery(service, name);
    await gallery.ensure();
    await gallery.ensure();
    assert.ok(await service.getContainerClient(name).exists());
  });
});

describe('gallery', () => {
  let container;
  let gallery;

  beforeEach(async () => {
    container = await createContainer();
    gallery = new Gallery(container.service, container.name);
  });

  afterEach(async () => {
    await container.remove();
  });

  const put = (name, content) =>
    container.client.getBlockBlobClient(name).upload(content, content.length);

  it('stores an original', async () => {
    await gallery.putOriginal('cat.pgm', image);
    const stored = await container.client.getBlobClient('originals/cat.pgm').downloadToBuffer();
    assert.deepEqual(stored, image);
  });

  it('does not overwrite an original', async () => {
    await put('originals/cat.pgm', image);
    await assert.rejects(gallery.putOriginal('cat.pgm', Buffer.from('other')), {
      code: 'BlobAlreadyExists',
    });
  });

  it('gives an original back', async () => {
    await put('originals/cat.pgm', image);
    assert.deepEqual(await gallery.getOriginal('cat.pgm'), image);
  });

  it('stores renditions, the last one wins', async () => {
    await put('renditions/small/cat.pgm', Buffer.from('old'));
    const name = await gallery.putRendition('cat.pgm', 'small', image);
    assert.deepEqual(await container.client.getBlobClient(name).downloadToBuffer(), image);
  });

  it('lists renditions of one size', async () => {
    for (const name of ['small/a.pgm', 'small/b.pgm', 'medium/a.pgm']) {
      await put(`renditions/${name}`, image);
    }
    assert.deepEqual(await gallery.listRenditions('small'), [
      'renditions/small/a.pgm',
      'renditions/small/b.pgm',
    ]);
  });

  it('knows whether a rendition is there', async () => {
    await put('renditions/small/cat.pgm', image);
    assert.equal(await gallery.hasRendition('cat.pgm', 'small'), true);
  });

  it('removes renditions', async () => {
    await put('renditions/small/cat.pgm', image);
    await gallery.removeRenditions('cat.pgm', ['small']);
    assert.equal(await container.client.getBlobClient('renditions/small/cat.pgm').exists(), false);
  });

  it('reads the manifest with its version', async () => {
    const { etag } = await put('manifest.json', '["cat.pgm"]');
    assert.deepEqual(await gallery.readManifest(), { entries: ['cat.pgm'], etag });
  });

  it('writes a manifest that nobody else has written meanwhile', async () => {
    const { etag } = await put('manifest.json', '[]');
    const next = await gallery.writeManifest(['cat.pgm'], etag);
    assert.notEqual(next, etag);
    const text = await container.client.getBlobClient('manifest.json').downloadToBuffer();
    assert.deepEqual(JSON.parse(text), ['cat.pgm']);
  });

  it('refuses to write over another version of the manifest', async () => {
    const { etag } = await put('manifest.json', '[]');
    await put('manifest.json', '["dog.pgm"]');
    await assert.rejects(gallery.writeManifest(['cat.pgm'], etag), { statusCode: 412 });
  });

  it('locks the manifest', async () => {
    await put('manifest.json', '[]');
    await gallery.lockManifest();
    const { leaseState } = await container.client.getBlobClient('manifest.json').getProperties();
    assert.equal(leaseState, 'leased');
  });

  it('unlocks the manifest', async () => {
    await put('manifest.json', '[]');
    const blob = container.client.getBlobClient('manifest.json');
    const lease = blob.getBlobLeaseClient();
    await lease.acquireLease(15);
    await gallery.unlockManifest(lease);
    assert.equal((await blob.getProperties()).leaseState, 'available');
  });

  it("gives a day's report to one worker", async () => {
    assert.equal(await gallery.claimReport('2024-05-01'), true);
    assert.equal(await gallery.claimReport('2024-05-01'), false);
    assert.equal(await gallery.claimReport('2024-05-02'), true);
  });
});
