using System.Globalization;
using Faster.Contracts;
using Faster.Engines.Transactional;

namespace Faster.Tests.Engines.Transactional;

/// <summary>
/// Operations of named sessions, each a function of the session and its serial number: transfers between accounts that
/// all share, of which some abort; groups of records of the session's own that are made or deleted as a whole; a record
/// that is put, or deleted. So the points of a commit tell what it must hold.
/// </summary>
internal static class NumberedSteps
{
    private const int Accounts = 24, PerGroup = 3, KeysOfSession = 16;
    private const long Own = 1 << 20;

    /// <summary>Carries out the next step of a session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="number">Its number, which is its name.</param>
    public static void Run(TransactionalSession session, int number)
    {
        long serial = session.SerialNumber + 1;
        Step step = At(number, serial);
        switch (step.Kind)
        {
            case Kind.Transfer:
                TransactionStatus status = session.Run([step.Keys[0], step.Keys[1]], [], records =>
                {
                    records.Write<long>(0) -= step.Amount;
                    records.Write<long>(1) += step.Amount;
                    return !step.Aborts;
                });
                Assert.Equal(step.Aborts ? TransactionStatus.Aborted : TransactionStatus.Committed, status);
                break;
            case Kind.Put:
                Assert.Equal(Status.Ok, session.Put(step.Keys[0], step.Amount));
                break;
            case Kind.Remove:
                _ = session.Remove(step.Keys[0]);
                break;
            default:
                _ = session.Run(step.Keys, [], records =>
                {
                    for (int i = 0; i < step.Keys.Length; i++)
                    {
                        if (step.Kind == Kind.MakeGroup) records.Write<long>(i) = step.Amount;
                        else records.Delete(i);
                    }

                    return true;
                });
                break;
        }

        Assert.Equal(serial, session.SerialNumber);
    }

    /// <summary>What the sessions have done up to points that only rise.</summary>
    internal sealed class Model
    {
        private readonly SortedDictionary<long, long> _state = [];
        private readonly Dictionary<int, long> _serials = [];

        /// <summary>A store holds what the sessions did up to their points, and nothing else.</summary>
        public async Task CheckAsync(TransactionalStore store, IEnumerable<CommitPoint> points)
        {
            foreach (CommitPoint point in points)
            {
                int number = int.Parse(point.SessionName!, CultureInfo.InvariantCulture);
                long done = _serials.GetValueOrDefault(number);
                Assert.True(point.SerialNumber >= done);
                while (done < point.SerialNumber) Apply(At(number, ++done), _state);
                _serials[number] = done;
            }

            var found = new SortedDictionary<long, long>();
            IAsyncEnumerable<(long, long)> records = store.Analytics.ScanAsync(
                null, static record => (BitConverter.ToInt64(record.Key), BitConverter.ToInt64(record.Value)));
            await foreach ((long key, long value) in records) found.Add(key, value);
            Assert.Equal(_state, found);
        }
    }

    private static void Apply(Step step, SortedDictionary<long, long> state)
    {
        switch (step.Kind)
        {
            case Kind.Transfer when !step.Aborts:
                state[step.Keys[0]] = state.GetValueOrDefault(step.Keys[0]) - step.Amount;
                state[step.Keys[1]] = state.GetValueOrDefault(step.Keys[1]) + step.Amount;
                break;
            case Kind.Transfer:
                break;
            case Kind.Put or Kind.MakeGroup:
                foreach (long key in step.Keys) state[key] = step.Amount;
                break;
            default:
                foreach (long key in step.Keys) _ = state.Remove(key);
                break;
        }
    }

    private static Step At(int number, long serial)
    {
        ulong bits = unchecked((((ulong)serial * 0x9E3779B97F4A7C15) + (ulong)number) * 0xBF58476D1CE4E5B9);
        bits ^= bits >> 29;
        long own = Own + (number * KeysOfSession), at = (long)(bits >> 8 & 0xFF) % (KeysOfSession - PerGroup);
        long from = (long)(bits >> 16 & 0xFF) % Accounts, to = (long)(bits >> 24 & 0xFF) % Accounts;
        return (bits & 7) switch
        {
            0 => new Step(Kind.Put, [own + at], serial),
            1 => new Step(Kind.Remove, [own + at], 0),
            2 => new Step(Kind.MakeGroup, [own + at, own + at + 1, own + at + 2], serial),
            3 => new Step(Kind.RemoveGroup, [own + at, own + at + 1, own + at + 2], 0),
            _ => new Step(Kind.Transfer, [from, to], (long)(bits >> 32 & 0xFF), Aborts: (bits >> 40 & 7) == 0),
        };
    }

    private enum Kind
    {
        Transfer,
        Put,
        Remove,
        MakeGroup,
        RemoveGroup,
    }

    private sealed record Step(Kind Kind, long[] Keys, long Amount, bool Aborts = false);
}
