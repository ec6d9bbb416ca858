using CountStore.Report;

namespace CountStore.Tests.Report;

public class TopKeysTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void The_highest_count_of_each_key_wins_whatever_the_order(int seed)
    {
        Random random = new(seed);
        Dictionary<int, long> truth = [];
        TopKeys top = new(20);
        for (int shown = 0; shown < 100_000; shown++)
        {
            int key = random.Next(20_000);
            long count = random.Next(1_000_000);
            truth[key] = Math.Max(count, truth.GetValueOrDefault(key));
            top.Offer(BitConverter.GetBytes(key), count);
        }

        var expected = truth.OrderByDescending(pair => pair.Value)
            .ThenBy(pair =>
                BitConverter.GetBytes(pair.Key), Comparer<byte[]>.Create((x, y) => x.AsSpan().SequenceCompareTo(y)))
            .Take(20).Select(pair => (pair.Key, pair.Value));
        Assert.Equal(expected, top.InOrder().Select(key => (BitConverter.ToInt32(key.Key), key.Count)));
    }
}
