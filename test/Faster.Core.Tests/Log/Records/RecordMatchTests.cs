using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Log.Records;

namespace Faster.Tests.Log.Records;

/// <summary>A record matches if its key does, and its header in the bits that count.</summary>
public sealed unsafe class RecordMatchTests
{
    private const ulong Mask = RecordHeader.NotUpdated | RecordHeader.VersionMask;

    [Theory]
    [InlineData(0)]
    [InlineData(56)] // the key lies in the next cache line
    public void A_word_matches_as_a_key_of_bytes_does(int offset)
    {
        var block = (byte*)NativeMemory.AlignedAlloc(256, 64);
        try
        {
            byte* word = block + offset, bytes = block + offset + 128;
            ulong header = RecordHeader.Make(4096);
            var wordKey = new UnmanagedKey<long>(0x0102_0304_0506_0708);
            wordKey.WriteTo(word + RecordHeader.Size);
            var bytesKey = new BytesKey("key"u8);
            bytesKey.WriteTo(bytes + RecordHeader.Size);
            for (int bit = -1; bit < 64; bit++)
            {
                ulong changed = bit < 0 ? header : header ^ (1UL << bit);
                bool fits = bit < 0 || (Mask & (1UL << bit)) == 0;
                RecordHeader.Write(word, changed);
                RecordHeader.Write(bytes, changed);
                Assert.Equal(fits, RecordMatch.Is(word, wordKey, header, Mask));
                Assert.Equal(fits, RecordMatch.Is(bytes, bytesKey, header, Mask));
            }

            RecordHeader.Write(word, header);
            RecordHeader.Write(bytes, header);
            for (int bit = 0; bit < 64; bit++)
            {
                var other = new UnmanagedKey<long>(0x0102_0304_0506_0708 ^ (1L << bit));
                Assert.False(RecordMatch.Is(word, other, header, Mask));
            }

            Assert.False(RecordMatch.Is(bytes, new BytesKey("kez"u8), header, Mask));
            Assert.False(RecordMatch.Is(bytes, new BytesKey("keys"u8), header, Mask));
        }
        finally
        {
            NativeMemory.AlignedFree(block);
        }
    }

    [Fact]
    public void A_short_key_is_a_word_and_a_long_one_is_none()
    {
        Assert.True(UnmanagedKey<byte>.IsWord && UnmanagedKey<long>.IsWord);
        Assert.False(UnmanagedKey<Guid>.IsWord);
        long slot;
        var key = new UnmanagedKey<short>(-2);
        key.WriteTo((byte*)&slot);
        Assert.Equal((ulong)slot, key.Word);
    }
}
