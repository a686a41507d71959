/** The largest attachment, in bytes. */
export const ATTACHMENT_BYTES = 25 * 1024 * 1024;

/** The largest artifact, in bytes. */
export const ARTIFACT_BYTES = 100 * 1024 * 1024;

/** How long an attachment that was uploaded for a new task waits for that task. */
export const UNUSED_FOR = '1 day';
