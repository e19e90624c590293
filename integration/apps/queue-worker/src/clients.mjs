import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { connectionString } from './config.mjs';

export function queueService() {
  return QueueServiceClient.fromConnectionString(connectionString);
}

export function blobService() {
  return BlobServiceClient.fromConnectionString(connectionString);
}
