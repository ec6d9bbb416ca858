using System.Globalization;
using System.Numerics;
using System.Text;
using Faster.Crash.Workloads;
using Faster.Devices.Folders;

namespace Faster.Crash.Model;

/// <summary>
/// The simplest durable store: everything in a dictionary, written as a whole by each commit, published by renaming.
/// Faults can be seeded in it to show that the laboratory finds them.
/// </summary>
/// <remarks>Thread-safe, by one lock.</remarks>
internal sealed class ModelStore : IWorkStore
{
    private const string Prefix = "state.";

    private readonly StoreFiles _files;
    private readonly Expectation _expectation;
    private readonly ModelFault _fault;
    private readonly Lock _lock = new();
    private readonly SemaphoreSlim _committing = new(1);
    private readonly Dictionary<int, byte[]> _values = [];
    private readonly int _sharedKeys;
    private readonly List<Step> _steps = []; // since it was opened
    private readonly Dictionary<int, byte[]> _found; // when it was opened
    private readonly Dictionary<string, long> _serials = new(StringComparer.Ordinal);
    private long _version;
    private Step? _last;

    public ModelStore(StoreFiles files, WorkloadPlan plan, ModelFault fault)
    {
        _files = files;
        _expectation = new Expectation(plan);
        _fault = fault;
        _sharedKeys = plan.SharedKeys;
        Recover();
        _found = new(_values);
    }

    public IReadOnlyList<CommitPoint>? Recovered { get; private set; }

    public IWorkSession Start(string? name) => new Session(this, name);

    public Task<IReadOnlyList<CommitPoint>> CommitAsync(CommitKind kind, bool withIndex) => Task.Run(async () =>
    {
        await _committing.WaitAsync();
        try
        {
            byte[] content;
            IReadOnlyList<CommitPoint> points;
            lock (_lock)
            {
                _version++;
                content = Encode(out points);
            }

            if (_fault == ModelFault.AcknowledgedEarly) _ = Task.Run(() => Publish(content));
            else Publish(content);
            return points;
        }
        finally
        {
            _committing.Release();
        }
    });

    public Task CheckpointIndexAsync() => Task.CompletedTask;

    public Task GrowAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public Task ShrinkAsync() => Task.CompletedTask;

    public ValueTask DisposeAsync()
    {
        _files.Dispose();
        _committing.Dispose();
        return ValueTask.CompletedTask;
    }

    private void Publish(byte[] content)
    {
        string name = Prefix + _version.ToString("D6", CultureInfo.InvariantCulture);
        using (StoreFile file = _files.Create(name + ".new"))
        {
            Write(file, content);
            if (_fault != ModelFault.ContentNotSynced) Sync(file.Sync);
        }

        string[] old = [.. States()];
        if (_fault == ModelFault.OldDeletedEarly) Delete(old);
        _files.Rename(name + ".new", name);
        if (_fault != ModelFault.NameNotSynced) Sync(_files.SyncNames);
        if (_fault != ModelFault.OldDeletedEarly) Delete(old);
    }

    private void Sync(Action sync)
    {
        try
        {
            sync();
        }
        catch (StorageException) when (_fault == ModelFault.SyncRetried)
        {
            sync();
        }
    }

    private void Delete(string[] names)
    {
        foreach (string name in names) _files.Delete(name);
    }

    private IEnumerable<string> States() => _files.List()
        .Where(n => n.StartsWith(Prefix, StringComparison.Ordinal) && !n.EndsWith(".new", StringComparison.Ordinal))
        .OrderDescending(StringComparer.Ordinal);

    private void Recover()
    {
        if (_fault != ModelFault.FoundNamesNotSynced) _files.SyncNames();
        if (States().FirstOrDefault() is not { } name) return;
        byte[] content;
        using (StoreFile file = _files.Open(name)) content = Read(file);
        if (content.Length < 4 || BitConverter.ToUInt32(content) != Checksum(content.AsSpan(4)))
        {
            throw new DamagedDataException($"'{name}' is damaged.") { Path = name, Offset = 0 };
        }

        Decode(content);
        if (_fault == ModelFault.RecoveryOverwrites)
        {
            using StoreFile file = _files.Create(name);
            Write(file, content);
            file.Sync();
        }
    }

    private byte[] Encode(out IReadOnlyList<CommitPoint> points)
    {
        Dictionary<int, byte[]> values = new(_values);
        Dictionary<string, long> serials = new(_serials);
        if (_fault == ModelFault.PointTooHigh && _last is not null) serials[WorkloadPlan.NameOf(_last.Session)]++;
        if (_fault == ModelFault.OneTooMany && _last is not null) serials[WorkloadPlan.NameOf(_last.Session)]--;
        if (_fault == ModelFault.Hole) values = WithoutOne();
        points = [.. serials.Select(s => new CommitPoint(s.Key, s.Value, _version))];
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream, Encoding.UTF8);
        writer.Write(0u);
        writer.Write(_version);
        writer.Write(serials.Count);
        foreach ((string name, long serial) in serials)
        {
            writer.Write(name);
            writer.Write(serial);
        }

        writer.Write(values.Count);
        foreach ((int key, byte[] value) in values)
        {
            writer.Write(key);
            writer.Write(value.Length);
            writer.Write(value);
        }

        byte[] content = stream.ToArray();
        BitConverter.TryWriteBytes(content, Checksum(content.AsSpan(4)));
        return content;
    }

    // Omits one of the operations that add to a shared key, which no later operation hides.
    private Dictionary<int, byte[]> WithoutOne()
    {
        Dictionary<int, byte[]> values = new(_found);
        Step[] adding = [.. _steps.Where(
            step => step.Kind is StepKind.Add or StepKind.AwaitedAdd && step.Key < _sharedKeys)];
        Step? omitted = adding.Length == 0 ? null : adding[adding.Length / 2];
        foreach (Step step in _steps.Where(step => step != omitted)) _expectation.Apply(step, values);
        return values;
    }

    private void Decode(byte[] content)
    {
        using var reader = new BinaryReader(new MemoryStream(content), Encoding.UTF8);
        _ = reader.ReadUInt32();
        _version = reader.ReadInt64();
        for (int i = reader.ReadInt32(); i > 0; i--) _serials[reader.ReadString()] = reader.ReadInt64();
        for (int i = reader.ReadInt32(); i > 0; i--)
        {
            int key = reader.ReadInt32();
            _values[key] = reader.ReadBytes(reader.ReadInt32());
        }

        Recovered = [.. _serials.Select(s => new CommitPoint(s.Key, s.Value, _version))];
    }

    private static uint Checksum(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (byte b in bytes) crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }

    private static unsafe void Write(StoreFile file, byte[] content)
    {
        fixed (byte* pointer = content) file.Write(pointer, content.Length, 0);
    }

    private static unsafe byte[] Read(StoreFile file)
    {
        byte[] content = new byte[file.Length];
        if (content.Length == 0) return content;
        fixed (byte* pointer = content) file.Read(pointer, content.Length, 0);
        return content;
    }

    private sealed class Session(ModelStore store, string? name) : IWorkSession
    {
        public long SerialNumber => name is null ? 0 : store._serials.GetValueOrDefault(name);

        public SessionPoint Recovered => store.Recovered?.FirstOrDefault(p => p.SessionName == name) is { } point
            ? SessionPoint.Of(point)
            : SessionPoint.None;

        public void SetNext(long number) => throw new NotSupportedException("Nothing is excluded.");

        public bool Do(Step step)
        {
            lock (store._lock)
            {
                store._expectation.Apply(step, store._values);
                store._steps.Add(step);
                store._serials[name!] = step.Number;
                store._last = step;
            }

            return true;
        }

        public void CompletePending() { }

        public byte[]? Read(int key)
        {
            lock (store._lock) return store._values.GetValueOrDefault(key);
        }

        public void Dispose() { }
    }
}
