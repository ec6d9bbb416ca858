using Faster.Contracts;

namespace Faster.Crash.Swarm;

/// <summary>
/// Stays inside an operation, and thus inside its epoch, until it is released: no phase of a commit passes meanwhile,
/// and what other threads do then falls between the phase's publication and its end.
/// </summary>
/// <remarks>
/// It is released by itself after a moment, so that a driver that waits for memory can go on. Not thread-safe.
/// </remarks>
internal sealed class SwarmHolder(SwarmSeat seat) : IDisposable
{
    private static readonly TimeSpan LongestHold = TimeSpan.FromMilliseconds(20);

    private readonly ManualResetEventSlim _inside = new(), _letGo = new(initialState: true);
    private Task _operation = Task.CompletedTask;

    /// <summary>The session of the operation.</summary>
    public SwarmSeat Seat => seat;

    /// <summary>Begins an operation, and returns when it is inside or has ended.</summary>
    public void Begin(SwarmOperation operation)
    {
        _inside.Reset();
        _letGo.Reset();
        _operation = Task.Factory.StartNew(
            () =>
            {
                try
                {
                    var put = new Held(SwarmValue.BytesOf(operation.Seed, operation.Length), this);
                    _ = seat.Session.Upsert(new BytesKey(SwarmSeat.KeyOf(operation.Key)), ref put);
                }
                finally
                {
                    _inside.Set();
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        _inside.Wait();
    }

    /// <summary>Lets the operation end.</summary>
    public void Release() => _letGo.Set();

    /// <summary>Waits until the operation has ended.</summary>
    public void End()
    {
        Release();
        _operation.GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _letGo.Set();
        _operation.ContinueWith(static _ => { }, TaskScheduler.Default).Wait(); // its exception is the store's
        _inside.Dispose();
        _letGo.Dispose();
    }

    private void Hold()
    {
        _inside.Set();
        _letGo.Wait(LongestHold);
        _letGo.Set(); // once for an operation, however often it tries
    }

    private readonly struct Held(byte[] bytes, SwarmHolder holder) : IUpsertOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public int Length => bytes.Length;

        public void Capture() { }

        public void SingleWrite(Span<byte> value)
        {
            holder.Hold();
            bytes.CopyTo(value);
        }

        public bool ConcurrentWrite(ref ValueSlot value)
        {
            holder.Hold();
            return value.TryReplace(bytes);
        }

        public void Complete(Status status, Exception? error) { }
    }
}
