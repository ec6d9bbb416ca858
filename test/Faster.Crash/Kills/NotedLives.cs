using Faster.Crash.Ledgers;

namespace Faster.Crash.Kills;

/// <summary>
/// A process that writes notes of what it does is killed again and again over one folder; what each life leaves is
/// judged by the notes of all lives so far.
/// </summary>
internal static class NotedLives
{
    private const int LinesOfALife = 60, Rounds = 60;

    /// <summary>Starts and kills the process again and again.</summary>
    /// <param name="feature">What it does.</param>
    /// <param name="seed">The seed of its plan, and of when it is killed.</param>
    /// <param name="kills">How many kills.</param>
    /// <param name="judge">
    /// Recovers the folder after a life, given its number, and returns what is wrong by the notes so far, or null.
    /// </param>
    /// <returns>All notes.</returns>
    public static async Task<LedgerNotes> KillAsync(
        string feature, int seed, int kills, Func<string, LedgerNotes, int, Task<string?>> judge)
    {
        string folder = Path.Combine(AppContext.BaseDirectory, $"lives-{feature}-{Guid.NewGuid():N}");
        var random = new Random(seed);
        List<string> lines = [];
        for (int life = 1; life <= kills; life++)
        {
            lines.AddRange(await KilledProgram.LiveAndDieAsync(
                folder, [seed, life, Rounds], feature, random, LinesOfALife));
            KilledProgram.AwaitLock(folder);
            string? wrong = await judge(folder, LedgerNotes.Parse(lines), life);
            Assert.True(wrong is null, $"{feature}, life {life} (kept in {folder}): {wrong}");
        }

        Directory.Delete(folder, recursive: true);
        LedgerNotes all = LedgerNotes.Parse(lines);
        Assert.True(all.Committed > 0, "Nothing was committed: the kills come too early to show anything.");
        return all;
    }
}
