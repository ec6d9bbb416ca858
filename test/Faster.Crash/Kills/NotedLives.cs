using Faster.Crash.Ledgers;

namespace Faster.Crash.Kills;

/// <summary>
/// A process that writes notes of what it does is killed again and again over one folder; what each life leaves is
/// judged by the notes of all lives so far.
/// </summary>
internal static class NotedLives
{
    private const int LinesOfALife = 60, Rounds = 60, MaxTimes = 4;

    /// <summary>Starts and kills the process again and again.</summary>
    /// <param name="feature">What it does.</param>
    /// <param name="seed">The seed of its plan, and of when it is killed.</param>
    /// <param name="kills">
    /// How many kills; up to four times as many while nothing was committed, for each kill's moment is drawn.
    /// </param>
    /// <param name="judge">
    /// Recovers the folder after a life, given its number, and returns what is wrong by the notes so far, or null.
    /// </param>
    /// <returns>All notes, and how many kills there were.</returns>
    public static async Task<(LedgerNotes All, int Kills)> KillAsync(
        string feature, int seed, int kills, Func<string, LedgerNotes, int, Task<string?>> judge)
    {
        string folder = Path.Combine(AppContext.BaseDirectory, $"lives-{feature}-{Guid.NewGuid():N}");
        var random = new Random(seed);
        List<string> lines = [];
        var all = LedgerNotes.Parse(lines);
        int life = 0;
        while (++life <= kills || (all.Committed == 0 && life <= MaxTimes * kills))
        {
            lines.AddRange(await KilledProgram.LiveAndDieAsync(
                folder, [seed, life, Rounds], feature, random, LinesOfALife));
            KilledProgram.AwaitLock(folder);
            all = LedgerNotes.Parse(lines);
            string? wrong = await judge(folder, all, life);
            Assert.True(wrong is null, $"{feature}, life {life} (kept in {folder}): {wrong}");
        }

        Directory.Delete(folder, recursive: true);
        Assert.True(all.Committed > 0, "Nothing was committed: the kills come too early to show anything.");
        return (all, life - 1);
    }
}
