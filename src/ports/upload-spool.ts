/** Bodies too large for the memory: taken in as they come, and read again for every upstream call that needs them. */
import type { SpooledBody } from '../dialects/contract.ts';

/** One body. Read once it is whole; any number of readers, at any place. */
export interface UploadSpool extends SpooledBody {
  /** Settles when more may come. Rejects with `NoRoomForUpload` when it can't be kept. */
  push(bytes: Uint8Array): Promise<void>;
  /** Nobody reads it any more: what is being read breaks off. */
  close(): void;
}

/** Opens an empty one. */
export type OpenUploadSpool = () => UploadSpool;

/** The disk is full, or can't be written. */
export class NoRoomForUpload extends Error {}
