/** How much the random tests try: a tenth of it with the ordinary tests, all of it in a torture run. */
export const sequencesToTry = process.env['STET_TEST_EFFORT'] === 'full' ? 300 : 30;
