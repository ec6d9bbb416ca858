using BenchmarkDotNet.Attributes;
using Faster.Benchmarks.Micro;
using Faster.Workload;

namespace Faster.Benchmarks.Operations;

/// <summary>
/// One operation on one engine, by one session over a store in memory whose keys all exist; an operation is one key. A
/// derived class adds the form, so there is a class for each engine, operation and form: filter by
/// <c>*AwaitedCalls&lt;F2Forms, Rmw&gt;*</c>.
/// </summary>
/// <typeparam name="TForms">The engine's operations.</typeparam>
/// <typeparam name="TOperation">The operation.</typeparam>
[GenericTypeArguments(typeof(FasterForms), typeof(Read))]
[GenericTypeArguments(typeof(FasterForms), typeof(Upsert))]
[GenericTypeArguments(typeof(FasterForms), typeof(Rmw))]
[GenericTypeArguments(typeof(FasterForms), typeof(Delete))]
[GenericTypeArguments(typeof(F2Forms), typeof(Read))]
[GenericTypeArguments(typeof(F2Forms), typeof(Upsert))]
[GenericTypeArguments(typeof(F2Forms), typeof(Rmw))]
[GenericTypeArguments(typeof(F2Forms), typeof(Delete))]
[GenericTypeArguments(typeof(HotRingForms), typeof(Read))]
[GenericTypeArguments(typeof(HotRingForms), typeof(Upsert))]
[GenericTypeArguments(typeof(HotRingForms), typeof(Rmw))]
[GenericTypeArguments(typeof(HotRingForms), typeof(Delete))]
public abstract class OperationBenchmarks<TForms, TOperation>
    where TForms : struct, IForms<TForms>
    where TOperation : struct, IOperation
{
    /// <summary>How many operations one invocation makes.</summary>
    protected const int Chunk = KeyStream.ChunkLength;

    private TForms _forms;
    private KeyStream _stream = null!;

    /// <summary>How many keys are loaded.</summary>
    [ParamsSource(nameof(KeyCounts))]
    public int Keys { get; set; }

    /// <summary>One million, or what the environment variable FASTER_BENCH_KEYS lists, separated by commas.</summary>
    public static IEnumerable<int> KeyCounts => MicroKeys.Counts;

    /// <summary>Loads the store.</summary>
    [GlobalSetup]
    public void Load()
    {
        _stream = new KeyDraw(Keys, KeyDistribution.Uniform).Streams(1)[0];
        _forms = TForms.Open(Keys);
        for (long key = 0; key < Keys; key++) _ = _forms.Upsert(key, 1);
    }

    /// <summary>Closes the store.</summary>
    [GlobalCleanup]
    public void Close() => _forms.Close();

    /// <summary>The engine's operations.</summary>
    protected ref readonly TForms Forms => ref _forms;

    /// <summary>The keys of the next invocation.</summary>
    protected ReadOnlySpan<long> NextKeys() => _stream.Take();
}
