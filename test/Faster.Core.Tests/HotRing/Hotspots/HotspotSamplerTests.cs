using Faster.Contracts;
using Faster.Tests.Scheduling;
using Faster.Tests.Store.Operations;

namespace Faster.Tests.HotRing.Hotspots;

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
