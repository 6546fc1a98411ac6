/** The rooms of the project: who may import whom, and that what the manifest contributes is what the code registers. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import ts from 'typescript';
import { contributed } from '../src/editor/ids';

const project = join(__dirname, '..');
const posix = (path: string) => path.split(sep).join('/');

/** Every source file with the modules it imports, `type` imports apart. */
function importsBelow(folder: string): { file: string; module: string; typeOnly: boolean }[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const file = posix(join(folder, name));
      const source = ts.createSourceFile(file, readFileSync(join(project, file), 'utf8'), ts.ScriptTarget.Latest, true);
      const found: { file: string; module: string; typeOnly: boolean }[] = [];
      const add = (specifier: ts.Expression | undefined, typeOnly: boolean) => {
        if (specifier === undefined || !ts.isStringLiteral(specifier)) return;
        const module = specifier.text.startsWith('.')
          ? posix(relative(project, normalize(join(project, dirname(file), specifier.text))))
          : specifier.text;
        found.push({ file, module, typeOnly });
      };
      const visit = (node: ts.Node): void => {
        if (ts.isImportDeclaration(node)) {
          const clause = node.importClause;
          const named = clause?.namedBindings;
          const allTypes =
            named !== undefined && ts.isNamedImports(named) && clause?.name === undefined && named.elements.every((one) => one.isTypeOnly);
          add(node.moduleSpecifier, clause?.phaseModifier === ts.SyntaxKind.TypeKeyword || allTypes);
        } else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
        else if (
          ts.isCallExpression(node) &&
          (node.expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(node.expression) && node.expression.text === 'require'))
        )
          add(node.arguments[0], false);
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}

const room = (path: string) => /^src\/(engine\/[^/.]+|[^/.]+)/.exec(path)?.[1] ?? path;

/** The arrows between rooms. A room's own files, Node and named libraries are always allowed. */
const arrows: Record<string, readonly string[]> = {
  extension: ['engine', 'editor', 'agents'],
  editor: ['engine'],
  agents: ['engine'],
  mcp: ['engine'],
};

/** The arrows inside the engine; `errors` and `ports` are open to every folder, and the files at its top to the top alone. */
const engineArrows: Record<string, readonly string[]> = {
  'engine/domain': [],
  'engine/scope': ['engine/domain'],
  'engine/store': ['engine/domain', 'engine/scope'],
  'engine/evidence': ['engine/domain', 'engine/scope'],
  'engine/ledger': ['engine/domain', 'engine/scope', 'engine/store', 'engine/evidence'],
  'engine/recall': ['engine/domain', 'engine/scope', 'engine/store', 'engine/evidence', 'engine/ledger'],
  // The record of what sessions saw knows whose session it was and what stands; recall and the ledger know nothing of it.
  // What a person said of drifted evidence is looked up by what the evidence has become.
  'engine/audit': ['engine/domain', 'engine/scope', 'engine/store', 'engine/evidence', 'engine/ledger'],
};
const openToAll = ['engine/errors', 'engine/ports'];

describe('the architecture', () => {
  const imports = importsBelow('src');

  it('lets each room import only what its arrows allow', () => {
    const wrong = imports.filter(({ file, module }) => {
      if (!module.startsWith('src/')) return false;
      const [from, to] = [room(file), room(module)];
      if (from === to) return false;
      const inside = engineArrows[from];
      if (inside !== undefined) return !inside.includes(to) && !openToAll.includes(to);
      if (from.startsWith('engine/')) return !to.startsWith('engine'); // the engine's own top
      return !(arrows[from] ?? []).some((allowed) =>
        allowed === 'engine' ? module === 'src/engine' || module === 'src/engine/index' : to === allowed,
      );
    });
    assert.deepEqual(wrong, []);
    assert.ok(imports.length > 50);
  });

  it('lets the pages know the shapes of messages, the labels of a form and how texts differ, and nothing else of the extension', () => {
    const known = /^src\/editor\/(page-messages|sidebar-messages|shown-text|save-labels|word-diff)$/;
    const pages = importsBelow('webview-ui').filter(({ module }) => module.startsWith('src/'));
    assert.deepEqual(
      pages.filter(({ module, typeOnly }) => !known.test(module) || (!typeOnly && !/\/(save-labels|word-diff)$/.test(module))),
      [],
    );
    assert.ok(pages.length > 0);
  });

  it('contributes exactly the ids that the code registers', () => {
    const { contributes } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      contributes: Record<'commands' | 'mcpServerDefinitionProviders', Record<string, string>[]> &
        Record<'views', Record<string, { id: string }[]>>;
    };
    const sorted = (ids: readonly (string | undefined)[]) => [...ids].sort();
    assert.deepEqual(sorted(contributes.commands.map(({ command }) => command)), sorted(Object.values(contributed.commands)));
    assert.deepEqual(
      sorted(
        Object.values(contributes.views)
          .flat()
          .map(({ id }) => id),
      ),
      sorted(Object.values(contributed.views)),
    );
    assert.deepEqual(
      contributes.mcpServerDefinitionProviders.map(({ id }) => id),
      [contributed.mcpServerDefinitionProvider],
    );
  });

  it('keeps the editor out of the engine and the server, and the driver in one file', () => {
    const users = (name: string) => [...new Set(imports.filter(({ module }) => module === name).map(({ file }) => file))];
    const outside = users('vscode').filter((file) => !['extension', 'editor', 'agents'].includes(room(file)));
    assert.deepEqual(outside, []);
    assert.ok(users('vscode').length > 0);
    assert.deepEqual(users('@vscode/sqlite3'), ['src/engine/store/database.ts']);
  });

  it('changes memory in the ledger and the store only', () => {
    const files = [...new Set(imports.map(({ file }) => file))];
    const writing = files.filter((file) => /\b(INSERT INTO|UPDATE|DELETE FROM)\s+\w/.test(readFileSync(join(project, file), 'utf8')));
    assert.deepEqual(
      writing.filter((file) => !/^src\/engine\/(ledger|store|audit)\//.test(file)),
      [],
    );
    assert.ok(writing.includes('src/engine/ledger/apply.ts'));
  });

  it('writes the record of what sessions saw and nothing else in the audit, and writes it nowhere else', () => {
    const files = [...new Set(imports.map(({ file }) => file))].filter((file) => !file.includes('/migrations/'));
    const record = ['recalled', 'recalls', 'uses'];
    const written = files.flatMap((file) =>
      [...readFileSync(join(project, file), 'utf8').matchAll(/\b(?:INTO|UPDATE|DELETE FROM)\s+([a-z_]+)\b/g)].map(([, table]) => ({
        table: table ?? '',
        audit: file.startsWith('src/engine/audit/'),
      })),
    );
    assert.deepEqual([...new Set(written.filter(({ audit }) => audit).map(({ table }) => table))].sort(), record);
    assert.deepEqual(
      written.filter(({ table, audit }) => !audit && record.includes(table)),
      [],
    );
  });

  it('reads memories with the predicate of the grant wherever it reads them', () => {
    const files = [...new Set(imports.map(({ file }) => file))];
    const reading = files.filter(
      (file) => /\bmemories m\b/.test(readFileSync(join(project, file), 'utf8')) && !file.includes('/migrations/'),
    );
    const without = reading.filter((file) => !readFileSync(join(project, file), 'utf8').includes('readPredicate'));
    // Gates ask the whole store before anything is written; of a memory they read the salt that a reason is verified with, and no word.
    const gates = ['src/engine/ledger/append.ts', 'src/engine/ledger/tombstones.ts'];
    // rows.ts holds the joins that the readers add their predicate to.
    assert.deepEqual(without.sort(), [...gates, 'src/engine/store/rows.ts']);
    assert.ok(reading.length > 3);
  });
});
