using Faster.Contracts;
using Faster.OperationLogs;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>
/// One life of operation logs: several writers append, take tickets and raise heads, on one thread, so that a power cut
/// can come between any two steps.
/// </summary>
/// <remarks>
/// While one writer has reserved and not published, and while a fence runs, the others go on. Records have few sizes,
/// so that what an earlier lap or life has left often begins where a record ends. Not thread-safe.
/// </remarks>
internal sealed unsafe class LogWorkload : IDisposable
{
    private const int Writers = 3, MaxDepth = 3;
    private static readonly int[] ValueBytes = [16, 16, 400];

    private readonly LogSet _logs;
    private readonly LogModel _model;
    private readonly Random _random;
    private readonly Action _afterStep;
    private readonly int[] _favorites = [0, 1, 2];
    private readonly int _appends; // of ten steps
    private int _depth;

    /// <summary>Begins a life.</summary>
    /// <param name="region">The bytes, of zeros or of an earlier life.</param>
    /// <param name="model">What was published before; goes on with this life.</param>
    /// <param name="random">Chooses the steps.</param>
    /// <param name="afterStep">Called where a power cut may come.</param>
    public LogWorkload(PersistentRegion region, LogModel model, Random random, Action afterStep)
    {
        (_model, _random, _afterStep) = (model, random, afterStep);
        _appends = random.Next(4, 9);
        var domain = new PersistenceDomain(new SteppedRegion(region, BesideFence));
        _logs = LogSet.Open(domain, LogModel.Identity, model.Kept[0], model.BeginLife());
        model.Opened();
    }

    /// <summary>Makes some steps.</summary>
    public void Run(int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            Work();
            _afterStep();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _logs.Dispose();

    private void Work()
    {
        if (_depth == MaxDepth) return;
        _depth++;
        int choice = _random.Next(10);
        if (choice < _appends) Append();
        else if (choice < 9) Acknowledge();
        else if (_depth == 1) Commit();
        _depth--;
    }

    private void Append()
    {
        int writer = _random.Next(Writers);
        long number = _model.NextNumber();
        var shape = new LogRecordShape
        {
            Kind = LogRecordKind.Put, Version = 1, Counter = number,
            ValueBytes = ValueBytes[_random.Next(ValueBytes.Length)],
        };
        switch (_logs.TryReserve(ref _favorites[writer], shape.Size, _depth != 1, out LogReservation reservation))
        {
            case LogSpace.Full when _depth == 1: Commit(); return;
            case LogSpace.Full or LogSpace.Contended: return;
        }

        Span<byte> value = LogRecord.Write(reservation.Pointer, shape).ValueBytes;
        byte[] bytes = LogModel.ValueOf(number, shape.ValueBytes);
        bytes.AsSpan(0, 8).CopyTo(value);
        if (_random.Next(3) == 0) Work(); // of others
        _afterStep();
        bytes.CopyTo(value);
        if (_random.Next(20) == 0)
        {
            reservation.Release();
            return;
        }

        _model.Publish(reservation.Log, number);
        reservation.Publish();
    }

    private void Acknowledge()
    {
        int[] published = _model.Counts();
        _logs.Wait(_logs.TakeTicket());
        _model.Acknowledge(published);
    }

    private void Commit()
    {
        LogMark[] marks = _logs.Mark();
        int[] counts = _model.Counts();
        _logs.Wait(_logs.TakeTicket()); // else a later life might go on below the marks
        _model.Commit(marks, counts);
        _afterStep();
        _logs.RaiseHeads(_model.Kept[0]);
    }

    private void BesideFence()
    {
        _afterStep();
        if (_random.Next(2) == 0) Work();
    }
}
