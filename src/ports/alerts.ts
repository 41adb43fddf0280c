/** Something an operator should know. Recorded, counted, later sent by webhook (G-7). */
export interface Alert {
  readonly kind: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly at: number;
}
export interface Alerts {
  raise(alert: Alert): void;
}
