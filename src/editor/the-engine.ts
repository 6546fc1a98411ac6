/**
 * The engine's code, loaded at first use. Importing it loads the database's native part, which activation must not wait for; so this
 * room imports only types from the engine, and its functions from here.
 */
export const theEngine = async () => import('../engine');
