import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['sample/', 'dist/', 'out/', '.editor/', '**/node_modules/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-console': 'error',
      // Columns and environment variables are read as what they are: names of somebody else's.
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  // Tests and scripts read columns and command lines, and print.
  {
    files: ['test/**/*.ts', 'scripts/**/*.ts', 'tools/**/*.ts'],
    rules: { 'no-console': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
