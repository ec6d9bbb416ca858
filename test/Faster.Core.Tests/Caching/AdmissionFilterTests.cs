using Faster.Contracts;
using Faster.Caching;

namespace Faster.Tests.Caching;

public sealed class AdmissionFilterTests
{
    private const int Bytes = 1 << 10, Bits = Bytes * 8;

    [Fact]
    public void A_key_that_comes_again_soon_is_admitted()
    {
        var filter = new AdmissionFilter(Bytes);
        const int Some = Bits / 64;
        int first = Enumerable.Range(0, Some).Count(i => filter.Admits(Hash(i)));
        Assert.InRange(first, 0, Some / 16);
        int again = Enumerable.Range(0, Some).Count(i => filter.Admits(Hash(i)));
        Assert.InRange(again, Some * 3 / 4, Some);
    }

    [Fact]
    public void A_key_that_does_not_come_again_is_never_admitted()
    {
        var filter = new AdmissionFilter(Bytes);
        int admitted = Enumerable.Range(0, 100 * Bits).Count(i => filter.Admits(Hash(i)));
        Assert.InRange(admitted, 0, 100 * Bits / 8); // an eighth of the bits are set at most
    }

    [Fact]
    public void A_key_that_comes_again_late_is_new()
    {
        var filter = new AdmissionFilter(Bytes);
        Assert.False(filter.Admits(Hash(-1)));
        for (int i = 0; i < Bits; i++) filter.Admits(Hash(i));
        int remembered = Enumerable.Range(0, 200).Count(i => filter.Admits(Hash(i)));
        Assert.InRange(remembered, 0, 60);
    }

    [Fact]
    public void Without_memory_it_lets_everything_in() => Assert.True(new AdmissionFilter(0).Admits(1));

    private static ulong Hash(long value) => KeyHash.Of((ulong)value, default);
}
