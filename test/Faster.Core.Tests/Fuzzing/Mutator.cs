using System.Buffers.Binary;

namespace Faster.Tests.Fuzzing;

/// <summary>Changes bytes as a fuzzer does: bits, numbers at their limits, stretches. Pure; thread-safe.</summary>
internal static class Mutator
{
    private static readonly long[] Numbers =
        [0, 1, 2, 3, 7, 8, 255, 511, 512, 4095, 4096, short.MaxValue, ushort.MaxValue, int.MaxValue, uint.MaxValue,
            (1L << 47) - 1, (1L << 48) - 1, 1L << 48, long.MaxValue, long.MinValue, -1, -2, -8];

    /// <summary>One to four changes, of the length, too.</summary>
    public static byte[] Mutate(byte[] original, Random random)
    {
        var bytes = new List<byte>(original);
        for (int changes = random.Next(1, 5); changes > 0; changes--)
        {
            int at = random.Next(bytes.Count + 1), length = Math.Min(random.Next(1, 40), bytes.Count - at);
            switch (random.Next(12))
            {
                case 0: bytes.RemoveRange(at, length); break;
                case 1: bytes.InsertRange(random.Next(bytes.Count + 1), bytes.GetRange(at, length)); break;
                case 2: bytes.RemoveRange(at, bytes.Count - at); break;
                case 3: bytes.AddRange(Random(random, random.Next(1, 100))); break;
                default:
                    byte[] same = [.. bytes];
                    MutateInPlace(same, random);
                    bytes = [.. same];
                    break;
            }
        }

        return [.. bytes];
    }

    /// <summary>One change that keeps the length.</summary>
    public static void MutateInPlace(Span<byte> bytes, Random random)
    {
        if (bytes.Length < sizeof(long)) return;
        int at = random.Next(bytes.Length - sizeof(long) + 1);
        if (random.Next(2) == 0) at &= ~7;
        Span<byte> some = bytes.Slice(at, Math.Min(random.Next(1, 40), bytes.Length - at));
        switch (random.Next(8))
        {
            case 0: bytes[at] = (byte)random.Next(256); break;
            case 1: bytes[at] ^= (byte)(1 << random.Next(8)); break;
            case 2: some.Fill((byte)(random.Next(2) * byte.MaxValue)); break;
            case 3: random.NextBytes(some); break;
            case 4: bytes.Slice(random.Next(bytes.Length - some.Length + 1), some.Length).CopyTo(some); break;
            case 5: PutNumber(bytes[at..], Numbers[random.Next(Numbers.Length)], random); break;
            case 6:
                long number = BinaryPrimitives.ReadInt64LittleEndian(bytes[at..]);
                PutNumber(bytes[at..], number + random.Next(-16, 17), random);
                break;
            default:
                PutNumber(bytes[at..], random.Next(bytes.Length + 1), random);
                break;
        }
    }

    private static void PutNumber(Span<byte> bytes, long number, Random random)
    {
        switch (random.Next(3))
        {
            case 0: BinaryPrimitives.WriteInt16LittleEndian(bytes, (short)number); break;
            case 1: BinaryPrimitives.WriteInt32LittleEndian(bytes, (int)number); break;
            default: BinaryPrimitives.WriteInt64LittleEndian(bytes, number); break;
        }
    }

    private static byte[] Random(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }
}
