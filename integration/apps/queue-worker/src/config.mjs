export const connectionString =
  process.env.AZURE_STORAGE_CONNECTION_STRING ?? 'UseDevelopmentStorage=true';

/** Longest side of each rendition, in pixels. */
export const thumbnailSizes = Object.freeze({ small: 16, medium: 48 });

/** How long a job stays hidden from other workers while one works on it, in seconds. */
export const jobVisibilityTimeout = 120;

export const webhookTimeout = 3_000;
export const healthTimeout = 5_000;
