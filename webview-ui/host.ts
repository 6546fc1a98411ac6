/** The way to the extension host. */
interface VsCode {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCode;

/** The editor hands it out once. */
export const host = acquireVsCodeApi();
