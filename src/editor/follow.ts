/** Opens what a memory points to. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Anchor, Evidence } from '../engine';

/**
 * @param workTrees where files are looked for, in this order: a file may be in one work tree of a repository only.
 * @returns what to tell the person when there is nothing to open.
 */
export async function follow(pointer: Anchor | Evidence, workTrees: readonly string[]): Promise<string | undefined> {
  if ('url' in pointer) {
    await vscode.env.openExternal(vscode.Uri.parse(pointer.url, true));
    return undefined;
  }
  const path = 'file' in pointer ? pointer.file : 'path' in pointer ? pointer.path : undefined;
  if (path === undefined) return undefined;
  const document = await firstThatOpens(workTrees.map((workTree) => vscode.Uri.file(join(workTree, ...path.split('/')))));
  if (document === undefined) return `${path} is not there any more, or is not a text.`;
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, ...lines(pointer, document) });
  return undefined;
}

async function firstThatOpens(files: readonly vscode.Uri[]): Promise<vscode.TextDocument | undefined> {
  for (const file of files) {
    try {
      return await vscode.workspace.openTextDocument(file);
    } catch {
      // not in this one
    }
  }
  return undefined;
}

function lines(pointer: Anchor | Evidence, document: vscode.TextDocument): { selection?: vscode.Range } {
  if (!('kind' in pointer) || pointer.kind !== 'file' || pointer.startLine === undefined) return {};
  const last = document.lineAt(Math.min(pointer.endLine ?? pointer.startLine, document.lineCount) - 1);
  return { selection: new vscode.Range(Math.min(pointer.startLine, document.lineCount) - 1, 0, last.lineNumber, last.text.length) };
}
