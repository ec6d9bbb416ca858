using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.HotRing.Hotspots;

/// <summary>Heads move to where the accesses of a ring are shortest (paper 002 §3.2).</summary>
public sealed class HotspotSamplerTests
{
    private static readonly long[] Keys = [1, 5, 10, 15, 20, 25, 30, 31];

    [Theory]
    [InlineData(HotspotStrategy.StatisticalSampling)]
    [InlineData(HotspotStrategy.RandomMovement)]
    public void The_head_follows_the_hot_key(HotspotStrategy strategy)
    {
        using var rings = new ScheduledRings<SwapShape>(1, Keys, strategy, interval: 5);
        foreach (long hot in (long[])[20, 5, 31])
        {
            for (int i = 0; i < 100; i++) Assert.Equal(hot * 1000, rings.Get(0, hot));
            Assert.Equal(hot, rings.HotKey);
        }
    }

    [Fact]
    public void The_head_goes_before_the_key_that_is_replaced() => Explorer.Run(
        new ExplorationOptions { Schedules = 1 }, ReplaceHotKey).AssertClean();

    [Fact]
    public void Counting_the_replaced_item_itself_is_found() => Explorer.Run(
        new ExplorationOptions { Schedules = 1, Bugs = [SeededBug.UpdateCountsItem] }, ReplaceHotKey)
        .AssertFound("The head is at 20");

    [Fact]
    public void Between_two_hot_keys_the_head_goes_to_the_first_of_them()
    {
        using var rings = new ScheduledRings<SwapShape>(1, Keys, HotspotStrategy.StatisticalSampling, interval: 1);
        for (int i = 0; i < 200; i++)
        {
            _ = rings.Get(0, 15);
            _ = rings.Get(0, 20);
        }

        Assert.Equal(15, rings.HotKey);
    }

    [Theory]
    [InlineData("reads")]
    [InlineData("insertions")]
    [InlineData("deletions")]
    public void A_ring_is_not_sampled_longer_because_its_keys_are_absent(string kind)
    {
        using var rings = new ScheduledRings<SwapShape>(1, Keys, HotspotStrategy.StatisticalSampling, interval: 1);
        for (int i = 0; !rings.IsSampling; i++) _ = rings.Get(0, Keys[i % Keys.Length]);
        for (int i = 0; i < Keys.Length; i++)
        {
            if (kind == "insertions") rings.Put(0, 6 + i, 1);
            else if (kind == "deletions") Assert.Equal(Status.NotFound, rings.Remove(0, 7));
            else Assert.Null(rings.Get(0, 7));
        }

        Assert.False(rings.IsSampling);
    }

    [Fact]
    public void A_search_for_an_absent_key_counts_for_the_item_at_which_it_ends()
    {
        using var rings = new ScheduledRings<SwapShape>(1, Keys, HotspotStrategy.StatisticalSampling, interval: 1);
        for (int round = 0; round < 20; round++)
        {
            for (int i = 0; !rings.IsSampling; i++) _ = rings.Get(0, Keys[i % Keys.Length]);
            while (rings.IsSampling) Assert.Null(rings.Get(0, 17));
        }

        Assert.Equal(20, rings.HotKey);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(31)]
    [InlineData(40)]
    [InlineData(60)]
    public void A_rehash_leaves_the_hot_key_at_the_head_of_its_half(long hot)
    {
        long[] keys = [.. Keys, 40, 50, 60];
        using var rings = new ScheduledRings<SwapShape>(1, keys, HotspotStrategy.StatisticalSampling, interval: 5);
        for (int i = 0; i < 100; i++) _ = rings.Get(0, hot);
        Assert.Equal(hot, rings.HotKey);
        rings.Rehash();
        Assert.Equal(hot, rings.HotKeyBeside(hot));
        rings.Rehash();
        Assert.Equal(hot, rings.HotKeyBeside(hot));
    }

    private static Scenario ReplaceHotKey()
    {
        var rings = new ScheduledRings<TwoWords>(1, Keys, HotspotStrategy.StatisticalSampling, interval: 1);
        return new Scenario([() =>
        {
            for (int i = 0; i < 200; i++) _ = rings.Add(0, 20, 1);
            Assert.True(rings.HotKey == 15, $"The head is at {rings.HotKey}");
            rings.Dispose();
        }]);
    }

    /// <summary>Values of two words, which are updated by copy.</summary>
    private readonly struct TwoWords : IShape
    {
        public static int ValueSize => 16;
    }
}
