using System.Globalization;
using System.Text;

namespace CountStore.Input;

/// <summary>
/// Cuts one column out of comma-separated values (RFC 4180: quoted fields, doubled quotes, line breaks inside quotes).
/// </summary>
/// <remarks>
/// A column named by its number counts from 1 and takes the file to have no header line. Empty lines are skipped; a
/// line without the column is an error, so that a wrong column does not pass for an empty one.
/// </remarks>
internal sealed class CsvParser : KeyParser
{
    /// <summary>The highest number of a column.</summary>
    public const int MaxColumns = 10_000;

    private readonly string _column;
    private readonly bool _hasHeader;
    private readonly List<byte> _headerField = [];

    private int _wanted;
    private bool _inHeader;
    private int _field;
    private int _fieldBytes;
    private bool _lineHasBytes;
    private bool _inQuotes;
    private bool _mayBeClosed;
    private int _keyStart = -1;
    private long _line;

    /// <summary>A parser at the start of a file.</summary>
    public CsvParser(string column)
    {
        _column = column;
        _hasHeader = !int.TryParse(column, NumberStyles.None, CultureInfo.InvariantCulture, out int number);
        _wanted = _hasHeader ? -1 : number - 1;
        Restart();
    }

    /// <inheritdoc/>
    public override int Parse(ReadOnlySpan<byte> block, KeyBatch batch)
    {
        for (int at = 0; at < block.Length; at++)
        {
            if (batch.IsFull && !_lineHasBytes) return at;
            byte value = block[at];
            if (value == '"') Quote(batch);
            else if (_inQuotes && !_mayBeClosed) Take(value, batch);
            else if (value == ',') EndField(batch);
            else if (value == '\n') EndLine(batch);
            else if (value != '\r') Take(value, batch);
        }

        return block.Length;
    }

    /// <inheritdoc/>
    public override void End(KeyBatch batch)
    {
        if (_inQuotes && !_mayBeClosed)
            throw new InputException($"Line {_line}: a quoted field is not closed before the input ends.");
        EndLine(batch);
        if (_inHeader) throw new InputException($"The input has no header line to find column '{_column}' in.");
        Restart();
    }

    private void Restart()
    {
        _line = 1;
        _inHeader = _hasHeader;
        if (_hasHeader) _wanted = -1;
    }

    // A quote inside quotes either closes them or, doubled, stands for itself; which, only the next byte tells.
    private void Quote(KeyBatch batch)
    {
        if (!_inQuotes && _fieldBytes == 0)
        {
            _inQuotes = true;
            _lineHasBytes = true;
        }
        else if (_inQuotes && !_mayBeClosed)
        {
            _mayBeClosed = true;
        }
        else
        {
            _mayBeClosed = false;
            Take((byte)'"', batch);
        }
    }

    private void Take(byte value, KeyBatch batch)
    {
        _lineHasBytes = true;
        if (++_fieldBytes > KeyBatch.MaxKeyLength)
            throw new InputException($"Line {_line}: a field is longer than {KeyBatch.MaxKeyLength:N0} bytes.");
        if (_inHeader)
        {
            _headerField.Add(value);
        }
        else if (_field == _wanted)
        {
            if (_keyStart < 0) _keyStart = batch.Length;
            batch.Append(value);
        }
    }

    private void EndField(KeyBatch batch)
    {
        _lineHasBytes = true;
        if (_inHeader)
        {
            string name = Encoding.UTF8.GetString(_headerField.ToArray()).TrimStart('\uFEFF');
            if (_wanted < 0 && name == _column) _wanted = _field;
            _headerField.Clear();
        }
        else if (_field == _wanted)
        {
            batch.EndKey(_keyStart < 0 ? batch.Length : _keyStart);
        }

        _keyStart = -1;
        _fieldBytes = 0;
        _inQuotes = _mayBeClosed = false;
        _field++;
    }

    private void EndLine(KeyBatch batch)
    {
        if (_lineHasBytes)
        {
            EndField(batch);
            if (_wanted < 0)
                throw new InputException($"The header line has no column '{_column}': name one that it has.");
            if (_field <= _wanted)
                throw new InputException(
                    $"Line {_line} has {_field} columns, none is '{_column}' (column {_wanted + 1}).");
            _inHeader = false;
        }

        _lineHasBytes = false;
        _field = 0;
        _line++;
    }
}
