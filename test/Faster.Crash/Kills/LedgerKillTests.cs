using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Ledgers;
using Xunit.Abstractions;

namespace Faster.Crash.Kills;

/// <summary>
/// A process that writes a ledger is killed by SIGKILL at random moments, again and again over one folder, while its
/// log is truncated, an export imported, a subscriber follows, or commits are scanned.
/// </summary>
public sealed class LedgerKillTests(ITestOutputHelper output)
{
    private const int KillsOfAFeature = 3, LinesOfALife = 60, Rounds = 60;

    [Theory]
    [InlineData(LedgerFeature.Truncating)]
    [InlineData(LedgerFeature.TruncatingByAge)]
    [InlineData(LedgerFeature.Importing)]
    [InlineData(LedgerFeature.Following)]
    [InlineData(LedgerFeature.Exporting)]
    public async Task A_killed_process_loses_nothing_but_what_was_given_up(LedgerFeature feature)
    {
        int kills = Budget.Times(KillsOfAFeature), seed = (int)feature;
        string folder = Path.Combine(AppContext.BaseDirectory, $"ledger-{Environment.ProcessId}-{feature}");
        var plan = new LedgerPlan(feature, seed);
        var random = new Random(seed);
        List<string> notes = [];
        for (int life = 1; life <= kills; life++)
        {
            notes.AddRange(await KilledProgram.LiveAndDieAsync(
                folder, [seed, life, Rounds], feature.ToString(), random, LinesOfALife));
            await using FasterStore<NoProbe> store = await LedgerLife.OpenAsync(folder, plan, LedgerLife.TimeOf(life));
            (string? wrong, _) = await LedgerOracle.JudgeAsync(store, LedgerNotes.Parse(notes));
            Assert.True(wrong is null, $"{feature}, life {life} (kept in {folder}): {wrong}");
        }

        Directory.Delete(folder, recursive: true);
        LedgerNotes all = LedgerNotes.Parse(notes);
        output.WriteLine(
            $"{feature}: {kills} kills, {all.Committed} operations in acknowledged commits, up to {all.GivenUp} given "
            + $"up, {all.Imports.Count} imports begun, 0 violations");
        Assert.True(all.Committed > 0, "Nothing was committed: the kills come too early to show anything.");
    }
}
