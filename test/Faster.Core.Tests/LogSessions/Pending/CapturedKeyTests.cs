using Faster.Contracts;
using Faster.LogSessions.Pending;

namespace Faster.Tests.LogSessions.Pending;

public sealed unsafe class CapturedKeyTests
{
    private static readonly HashSeed Seed = new(3, 4);

    [Fact]
    public void A_copy_matches_what_the_key_matches_and_outlives_it()
    {
        byte[] bytes = "a key of twenty-two by"u8.ToArray();
        CapturedKey captured = Capture(bytes, default);
        Array.Clear(bytes);
        byte* slot = stackalloc byte[64];
        new BytesKey("a key of twenty-two by"u8).WriteTo(slot);
        Assert.True(captured.Matches(slot));
        Assert.Equal(new BytesKey("a key of twenty-two by"u8).SlotSize, captured.SlotSize);
        Assert.Equal(new BytesKey("a key of twenty-two by"u8).Hash(Seed), captured.Hash(default));
        slot[20] ^= 1;
        Assert.False(captured.Matches(slot));
    }

    [Fact]
    public void It_writes_the_same_slot_padding_included()
    {
        byte* expected = stackalloc byte[16], actual = stackalloc byte[16];
        new Span<byte>(expected, 16).Fill(255);
        new Span<byte>(actual, 16).Fill(255);
        new BytesKey("seven b"u8).WriteTo(expected);
        Capture("seven b"u8, default).WriteTo(actual);
        Assert.True(new Span<byte>(expected, 16).SequenceEqual(new Span<byte>(actual, 16)));
    }

    [Theory]
    [InlineData("", "x")]
    [InlineData("abc", "abcd")]
    [InlineData("abcd", "abc")]
    [InlineData("abcdefgh", "abcdefgi")]
    public void Keys_of_other_bytes_or_lengths_do_not_match(string key, string other)
    {
        byte* slot = stackalloc byte[16];
        new BytesKey(System.Text.Encoding.ASCII.GetBytes(other)).WriteTo(slot);
        Assert.False(Capture(System.Text.Encoding.ASCII.GetBytes(key), default).Matches(slot));
    }

    [Fact]
    public void A_reused_array_keeps_nothing_of_the_longer_key_before()
    {
        CapturedKey old = Capture(new byte[200], default);
        CapturedKey captured = Capture("short"u8, old);
        byte* slot = stackalloc byte[16];
        new BytesKey("short"u8).WriteTo(slot);
        Assert.True(captured.Matches(slot));
        Assert.Equal(16, captured.SlotSize);
    }

    [Fact]
    public void Keys_of_fixed_size_are_captured_too()
    {
        var key = new UnmanagedKey<Triple>(new Triple(1, 2, 3));
        CapturedKey captured = CapturedKey.Of(key, key.Hash(Seed), default);
        byte* slot = stackalloc byte[16];
        key.WriteTo(slot);
        Assert.True(captured.Matches(slot));
        new UnmanagedKey<Triple>(new Triple(1, 2, 4)).WriteTo(slot);
        Assert.False(captured.Matches(slot));
    }

    private readonly record struct Triple(int A, int B, int C);

    private static CapturedKey Capture(ReadOnlySpan<byte> bytes, CapturedKey old)
    {
        var key = new BytesKey(bytes);
        return CapturedKey.Of(key, key.Hash(Seed), old);
    }
}
