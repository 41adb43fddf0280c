/** The closed lists of a script's words. */
import type { End, SocketFault } from './step.ts';

export const END_NAMES: readonly End[] = ['clean', 'fin', 'rst', 'hang'];
export const SOCKET_NAMES: readonly SocketFault[] = ['refused', 'accept_then_silence', 'rst_on_reuse_before_response'];
