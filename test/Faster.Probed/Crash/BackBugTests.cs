using Faster.Crash.Persistence;
using Faster.Probes;
using Faster.Tests.Scheduling;
using Xunit.Abstractions;

namespace Faster.Tests.Crash;

/// <summary>Power cuts under Bullet's back find batches that are not whole, and blocks that are not durable.</summary>
public sealed class BackBugTests(ITestOutputHelper output)
{
    private const string Parts = "has a part of a batch", Damage = "damage is reported where there is none";

    [Fact]
    public void Words_that_are_stored_before_the_redo_are_found() =>
        AssertFound(SeededBug.WordsBeforeRedo, "is not whole", Parts);

    [Fact]
    public void Redo_that_is_written_over_before_its_words_are_durable_is_found() =>
        AssertFound(SeededBug.RedoReusedEarly, "is not whole", Parts);

    [Fact]
    public void Redo_of_an_older_batch_that_is_stored_last_is_found() =>
        AssertFound(SeededBug.OlderRedoReplayed, "has not what was committed", Parts, Damage);

    [Fact]
    public void Redo_that_does_not_cover_the_blocks_of_its_batch_is_found() =>
        AssertFound(SeededBug.RedoWithoutBlocks, "is torn", Parts, Damage);

    [Fact]
    public void A_block_that_is_used_by_the_batch_that_frees_it_is_found() =>
        AssertFound(SeededBug.FreedInBatchReused, "has not what was committed", Parts, Damage);

    [Fact]
    public void A_batch_that_a_killed_process_has_left_in_the_cache_is_found() =>
        AssertFound(SeededBug.RecoveryTrustsCache, "has not what was committed", Parts, Damage);

    private void AssertFound(SeededBug bug, params string[] symptoms)
    {
        using IDisposable seeded = SeededProbe.Seed(bug);
        int states = 0;
        string? found = null;
        for (int seed = 1; seed <= 100 && found is null; seed++) found = BackCuts.OnMemory(seed, ref states);
        output.WriteLine($"{found ?? "nothing found"}, after {states} states");
        Assert.NotNull(found);
        Assert.Contains(symptoms, symptom => found.Contains(symptom, StringComparison.Ordinal));
    }
}
