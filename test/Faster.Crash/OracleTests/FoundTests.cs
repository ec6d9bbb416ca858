using Faster.Contracts;
using Faster.Crash.Engine;

namespace Faster.Crash.OracleTests;

/// <summary>A read whose error reaches its callback alone is an error, not a key that is absent.</summary>
public sealed class FoundTests
{
    [Fact]
    public void An_error_of_a_callback_is_not_taken_for_an_absent_key()
    {
        var error = new StorageException("seeded");
        Assert.Same(error, Assert.Throws<StorageException>(() => new FailingSession(error).Read(1)));
        Assert.Null(new FailingSession(null).Read(1));
    }

    [Fact]
    public void The_operations_of_each_shape_keep_their_error()
    {
        var error = new StorageException("seeded");
        foreach (Action<Found> complete in new Action<Found>[]
        {
            found => new NumberOperations.Read(found).Complete(Status.NotFound, error),
            found => new EntryOperations.Read(found).Complete(Status.NotFound, error),
            found => new MergedEntryOperations.Read(found).Complete(Status.NotFound, error),
        })
        {
            var found = new Found();
            complete(found);
            Assert.Same(error, Assert.Throws<StorageException>(found.ValueOrThrow));
        }
    }

    // A store that reports the error to the callback alone: its status says that there is no such key.
    private sealed class FailingSession(Exception? error) : EngineSession(null!)
    {
        protected override Status Read(int key, Found found)
        {
            found.Error = error;
            return Status.NotFound;
        }

        protected override Status Add(int key, byte[] value) => throw new NotSupportedException();

        protected override Task? AddAsync(int key, byte[] value) => throw new NotSupportedException();

        protected override void AddToAll(IReadOnlyList<int> keys, byte[] value, long serialNumber) =>
            throw new NotSupportedException();

        protected override Status Put(int key, byte[] value) => throw new NotSupportedException();

        protected override Status Delete(int key) => throw new NotSupportedException();
    }
}
