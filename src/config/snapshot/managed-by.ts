/** Objects named in the file belong to it and are read-only elsewhere; all others live in the store. */
export type ManagedBy = 'file' | 'store';
