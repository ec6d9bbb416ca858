using System.Runtime.CompilerServices;

namespace Faster.HitPath;

internal static class Sums
{
    internal sealed class Session
    {
        private readonly long[] _values = new long[64];

        public Status Read(long key, out long value)
        {
            if ((ulong)key >= (ulong)_values.Length)
                return ReadSlowly(out value);
            value = _values[key];
            return Status.Ok;
        }

        public Status Upsert(long key, long value)
        {
            if ((ulong)key >= (ulong)_values.Length)
                return ReadSlowly(out value);
            _values[key] = value;
            return Status.Ok;
        }

        public Status Rmw(long key, long amount) => AddTo(key, amount);

        [MethodImpl(MethodImplOptions.NoInlining)]
        private Status AddTo(long key, long amount)
        {
            _values[key & 63] += amount;
            return Status.Ok;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Status ReadSlowly(out long value)
        {
            value = new Random().Next();
            return Status.NotFound;
        }
    }
}
