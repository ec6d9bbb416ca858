using CountStore.Counting;
using CountStore.Input;

namespace CountStore.Tests.Counting;

public class VerificationTests
{
    [Fact]
    public async Task Equal_counts_agree()
    {
        Verification verification = await CompareAsync(_ => { });
        Assert.Equal(3, verification.Keys);
        Assert.Equal(0, verification.Differences);
    }

    [Fact]
    public async Task A_count_too_small_is_found() =>
        await AssertOneAsync(counter => counter.Set("b"u8.ToArray(), 1), "b"u8.ToArray(), 2, 1);

    [Fact]
    public async Task A_missing_key_is_found() =>
        await AssertOneAsync(counter => counter.Set("b"u8.ToArray(), 0), "b"u8.ToArray(), 2, 0);

    [Fact]
    public async Task A_key_too_many_is_found() =>
        await AssertOneAsync(counter => counter.Set("z"u8.ToArray(), 1), "z"u8.ToArray(), 0, 1);

    private static async Task AssertOneAsync(Action<DictionaryCounter> plant, byte[] key, long expected, long counted)
    {
        Verification verification = await CompareAsync(plant);
        Assert.Equal(1, verification.Differences);
        KeyDifference difference = Assert.Single(verification.Examples);
        Assert.Equal(key, difference.Key);
        Assert.Equal((expected, counted), (difference.Expected, difference.Counted));
    }

    private static async Task<Verification> CompareAsync(Action<DictionaryCounter> plant)
    {
        await using DictionaryCounter expected = Fill();
        await using DictionaryCounter counter = Fill();
        plant(counter);
        return await Verification.CompareAsync(counter, expected, CancellationToken.None);
    }

    private static DictionaryCounter Fill()
    {
        DictionaryCounter counter = new();
        KeyBatch batch = new();
        foreach (char key in "abbccc") batch.Add([(byte)key]);
        using ICountWorker worker = counter.StartWorker();
        worker.Count(batch);
        return counter;
    }
}
