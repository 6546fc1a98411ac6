/** What a test may ask of the extension in the host. */
export type Wish =
  | { readonly is: 'execute'; readonly command: string; readonly args: readonly unknown[] }
  | { readonly is: 'tools' }
  | { readonly is: 'invoke'; readonly tool: string; readonly input: object }
  | { readonly is: 'folders' };

export interface Answer {
  readonly value?: unknown;
  readonly problem?: string;
}

/** Names the folder in which each window's extension writes the port it listens on. */
export const handsVariable = 'STET_HANDS';
